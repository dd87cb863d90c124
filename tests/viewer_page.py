"""What a person sees of the viewer's page, for tests in a browser. All waits are for conditions."""

from conftest import PATIENCE


def shows(page, key):
    page.wait_for_selector(f"body[data-shown='{key}']", timeout=PATIENCE)


def says(page, text):
    page.locator("#message", has_text=text).wait_for(timeout=PATIENCE)


def names(page):
    return page.locator("#landmarks tbody tr td:first-child").all_inner_texts()


def is_still(page):
    page.wait_for_function("() => window.gplandmark.isStill()", timeout=PATIENCE)


def where(page, label):
    """Where a landmark is on the screen, once the picture rests."""
    is_still(page)
    return page.evaluate("label => window.gplandmark.where(label)", label)


def wait_for_rows(page, count):
    page.wait_for_function(
        "n => document.querySelectorAll('#landmarks tbody tr').length == n",
        arg=count,
        timeout=PATIENCE,
    )


def row(page, key):
    return page.locator(f".specimen[data-key='{key}']")
