"""Day before month and a clock of 24 hours: English is read here on both sides of the Atlantic."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
TIME_FORMAT = "H:i"
