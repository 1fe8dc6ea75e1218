// Small comforts. Every page works without this file.
"use strict";

// a time zone field guesses the browser's, unless something was chosen already
for (const select of document.querySelectorAll("select[data-guess-zone]")) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = [...select.options].find((option) => option.value === here);
  if (known && select.value === "UTC") select.value = here;
}

// one form, one field `order`: choosing from the list empties the text field, and the other way
const move = document.getElementById("move");
if (move) {
  const field = document.getElementById("order");
  move.addEventListener("change", (event) => {
    if (event.target.type === "radio" && event.target.name === "order") field.value = "";
  });
  field.addEventListener("input", () => {
    for (const radio of move.querySelectorAll("input[name=order][type=radio]")) radio.checked = false;
  });
}
