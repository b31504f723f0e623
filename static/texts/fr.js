globalThis.texts = {
"Copied": "Copié"
};
