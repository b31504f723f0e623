globalThis.texts = {
"Copied": "Copié",
"Something broke on our side. Try again.": "Une erreur est survenue de notre côté. Réessayez.",
"The server cannot be reached. Try again.": "Le serveur est injoignable. Réessayez."
};
