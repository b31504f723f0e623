"""An installation is written to a folder, and made again out of it."""
