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
