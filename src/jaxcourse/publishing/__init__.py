"""From the MyST sources to what people open: the website, Colab notebooks, exercise sheets."""
