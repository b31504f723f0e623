"""Parts of printed values that every reader of text shares: years, scales of amounts, abbreviations."""
