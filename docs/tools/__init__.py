"""Programs that write the parts of the documents that follow from the code: run ``make reference``."""
