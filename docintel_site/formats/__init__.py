"""How dates read in a language, where Django's own form is not the one wanted; the other languages are Django's."""
