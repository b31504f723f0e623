"""Parts of printed values that every reader of text shares: years, months, scales, currencies, sentences."""
