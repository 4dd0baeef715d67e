"""Text without storage or models: normalising, index terms, words, keywords, passages, token estimates."""
