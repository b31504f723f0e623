"""Quality and speed on real documents. It uses the project; nothing in the project uses it."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as docintel_site does: commands load numpy before it
