// Small comforts. Every page works without this file.
"use strict";

// a time zone that nobody has chosen yet is the browser's
for (const field of document.querySelectorAll("[data-guess-zone]")) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!here) continue;
  const listed = !field.options || [...field.options].some((option) => option.value === here);
  if (!listed) field.add(new Option(here, here));
  field.value = here;
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
