globalThis.texts = {
"Copied": "Kopiert",
"Something broke on our side. Try again.": "Bei uns ist etwas ausgefallen. Versuchen Sie es noch einmal.",
"The server cannot be reached. Try again.": "Der Server ist nicht zu erreichen. Versuchen Sie es noch einmal."
};
