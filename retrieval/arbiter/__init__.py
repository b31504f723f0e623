"""Arbiters judge every candidate: `rules` by fixed rules, `model` by one call; `none` judges nothing (to compare)."""
