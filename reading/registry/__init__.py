"""Figures, tables, equations and appendices, with the places that name them.

An older parse has none: the same function makes it from its rows when it is needed.
"""
