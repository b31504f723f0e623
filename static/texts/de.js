globalThis.texts = {
"Copied": "Kopiert"
};
