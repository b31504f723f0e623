"""What is printed as a minus: hyphens, dashes and their signs of full width, each the head of a class of characters."""

# A hyphen, that does not break, a figure dash, an en dash, the minus itself, a small and a wide hyphen.
MINUS = "-\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
# An em dash and a bar part words more often: a minus only where they touch a number behind a blank or in a cell, and
# in prose even there they may open an aside ("la cuota —25 euros— se paga").
LONG_DASH = "\u2014\u2015"
