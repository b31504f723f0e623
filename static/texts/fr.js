globalThis.texts = {};
