// Choosing in the skirmish: pointing at the map, building and deploying by a form. Whatever is chosen
// becomes a line in the one field `order`. No rule is known here: ways, costs and prices are on the
// page already, and what an order would do the service says before it is confirmed.
"use strict";

(() => {
  const root = document.getElementById("skirmish");
  const field = document.getElementById("order");
  const svg = document.querySelector("svg.skirmish-map");
  if (!root || !field) return;
  const say = root.dataset;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const SVG = "http://www.w3.org/2000/svg";
  const radios = () => [...root.querySelectorAll('input[name="order"]')];

  function make(tag, text, into) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (into) into.append(made);
    return made;
  }
  function draw(tag, values, into) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
    into.append(made);
    return made;
  }
  // a list and a text field share a name: only one of the two may say something
  function write(order) {
    for (const radio of radios()) radio.checked = false;
    field.value = order;
  }
  for (const radio of radios()) radio.addEventListener("change", () => { field.value = ""; });
  field.addEventListener("input", () => { for (const radio of radios()) radio.checked = false; });

  const depth = svg ? svg.dataset.depth / 50 : 0;
  const mapX = (inches) => inches * 20;
  const mapY = (inches) => depth - inches * 20;
  const tidy = (inches) => String(Math.round(inches * 10) / 10);
  function pointed(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x / 20, (depth - at.y) / 20];
  }

  // --- an activation: ground and targets ---

  function activation() {
    const box = root.querySelector(".live-map");
    const live = box.querySelector(".live");
    const layer = svg.querySelector(".reach");
    const men = [...root.querySelectorAll("details.man")];
    let man = null, ways = [];

    function choose(next) {
      man = next;
      ways = man.dataset.ways.split("|").filter(Boolean).map((text) => {
        const [path, walk, run] = text.split("/");
        const [x, y] = path.split(" ").pop().split(",").map(Number);
        return { path, x, y, walk: walk && Number(walk), run: run && Number(run) };
      });
      layer.replaceChildren();
      for (const way of ways) {
        const walks = way.walk !== "";
        const dot = draw("g", { transform: `translate(${mapX(way.x)} ${mapY(way.y)})` }, layer);
        draw(walks ? "circle" : "rect", walks ? { r: 8 } : { x: -8, y: -8, width: 16, height: 16 }, dot)
          .setAttribute("class", walks ? "walks" : "runs");
        draw("text", { y: 5, "text-anchor": "middle", "font-size": 13 }, dot).textContent =
          Math.min(...[way.walk, way.run].filter((cost) => cost !== ""));
      }
      for (const chosen of svg.querySelectorAll(".model.chosen")) chosen.classList.remove("chosen");
      svg.querySelector(`.model[data-name="${man.dataset.name}"]`)?.classList.add("chosen");
      live.textContent = fill(say.sayReach, { model: man.dataset.name });
    }
    function nearest([x, y]) {
      let best = null, far = 1.6;
      for (const way of ways) {
        const away = Math.hypot(way.x - x, way.y - y);
        if (away < far) [best, far] = [way, away];
      }
      return best;
    }
    for (const one of men) {
      one.addEventListener("toggle", () => {
        if (!one.open) return;
        for (const other of men) if (other !== one) other.open = false;
        choose(one);
      });
    }
    svg.addEventListener("mousemove", (event) => {
      const way = man && nearest(pointed(event));
      if (way) live.textContent = cost(way);
    });
    const cost = (way) => fill(say.sayCost, {
      path: way.path,
      walk: way.walk === "" ? say.sayCannot : way.walk,
      run: way.run === "" ? say.sayCannot : way.run,
    });
    svg.addEventListener("click", (event) => {
      const model = event.target.closest(".model");
      if (model && men.some((one) => one.dataset.name === model.dataset.name)) {
        men.find((one) => one.dataset.name === model.dataset.name).open = true;
        return;
      }
      if (model && man) {
        const shot = [...man.querySelectorAll('input[name="order"]')].find((radio) => radio.value.includes(` fire ${model.dataset.name} `));
        if (shot) {
          for (const target of man.querySelectorAll("details.target")) target.open = target.contains(shot);
          shot.checked = true;
          field.value = "";
          live.textContent = shot.value;
          return;
        }
      }
      const way = man && nearest(pointed(event));
      if (!way) return;
      const gait = way.run === "" || (way.walk !== "" && way.walk <= way.run) ? "walk" : "run";
      write(`${man.dataset.name} ${gait} to ${way.path}`);
      live.textContent = `${cost(way)} ${field.value}`;
    });
    box.hidden = false;
    const first = men.find((one) => one.open) ?? men[0];
    if (first) choose(first);
  }

  // --- deployment ---

  function deployment() {
    const box = root.querySelector(".deployer");
    const layer = svg.querySelector(".reach");
    const live = box.querySelector(".live");
    const zone = box.dataset.zone.split(",").map((value) => value / 1000);
    const places = box.dataset.default.slice("deploy ".length).split("; ").map((text) => {
      const [name, spot] = text.split(" ");
      const [x, y] = spot.split(",").map(Number);
      return { name, x, y, facing: Number(/facing (\d+)/.exec(text)?.[1] ?? 0), prone: / prone/.test(text) };
    });
    let chosen = null;
    const how = box.querySelector(".how");
    const facing = make("input", "", make("label", `${say.sayFacing} `, how));
    Object.assign(facing, { type: "number", min: 0, max: 359 });
    const lying = make("input", "", make("label", `${say.sayProne} `, how));
    lying.type = "checkbox";
    const buttons = places.map((place) => {
      const button = make("button", place.name, box.querySelector(".picks"));
      button.type = "button";
      button.addEventListener("click", () => {
        chosen = place;
        facing.value = place.facing;
        lying.checked = place.prone;
        show();
      });
      return button;
    });
    function show() {
      layer.replaceChildren();
      places.forEach((place, number) => {
        buttons[number].setAttribute("aria-pressed", place === chosen);
        const mark = draw("g", { transform: `translate(${mapX(place.x)} ${mapY(place.y)})`, class: place === chosen ? "placed chosen" : "placed" }, layer);
        draw("path", { d: "M-7 -12 L0 -28 L7 -12 Z", transform: `rotate(${place.facing})` }, mark);
        draw("circle", { r: 15 }, mark);
        draw("text", { y: 6, "text-anchor": "middle", "font-size": 17 }, mark).textContent = place.name[0].toUpperCase() + place.name.split("-")[1];
      });
    }
    function tell() {
      write("deploy " + places.map((place) => `${place.name} ${tidy(place.x)},${tidy(place.y)} facing ${place.facing}${place.prone ? " prone" : ""}`).join("; "));
      show();
    }
    facing.addEventListener("change", () => { if (chosen) { chosen.facing = ((Number(facing.value) % 360) + 360) % 360; tell(); } });
    lying.addEventListener("change", () => { if (chosen) { chosen.prone = lying.checked; tell(); } });
    svg.addEventListener("click", (event) => {
      if (!chosen) return;
      const [x, y] = pointed(event);
      if (x < zone[0] || x > zone[2] || y < zone[1] || y > zone[3]) return;
      [chosen.x, chosen.y] = [x, y];
      tell();
      const next = places[places.indexOf(chosen) + 1];
      if (next) buttons[places.indexOf(next)].click();
    });
    live.textContent = say.sayPlace;
    box.hidden = false;
    show();
  }

  // --- building a force ---

  function building() {
    const lists = JSON.parse(say.lists);
    const box = root.querySelector(".builder");
    const holder = box.querySelector(".teams");
    const live = box.querySelector(".live");
    const teams = [];
    const price = (team) => team.list.points + team.members.flat().reduce((sum, thing) => sum + cost(team, thing), 0);
    const cost = (team, thing) => team.list.slots.some((slot) => slot.choice.includes(thing)) ? 0 : team.list.offers[team.upgrade][thing] ?? 0;

    const adding = box.querySelector(".add");
    const select = make("select", "", adding);
    for (const [number, list] of lists.entries()) make("option", `${list.title} (${list.points})`, select).value = number;
    const add = make("button", say.sayAdd, adding);
    add.type = "button";
    add.addEventListener("click", () => {
      teams.push({ list: lists[select.value], upgrade: "", members: [[], [], [], []] });
      show();
    });

    function member(team, index, into) {
      const row = make("p", "", into);
      make("strong", `${fill(say.sayMember, { number: index + 1 })} `, row);
      make("span", `${team.list.slots[index].has.join(", ")} `, row);
      team.members[index].forEach((thing, number) => {
        const button = make("button", `${thing} ✕`, row);
        button.type = "button";
        button.title = say.sayRemove;
        button.addEventListener("click", () => { team.members[index].splice(number, 1); show(); });
      });
      const extra = make("select", "", row);
      extra.setAttribute("aria-label", `${fill(say.sayMember, { number: index + 1 })}: ${say.sayExtra}`);
      make("option", say.sayExtra, extra).value = "";
      const own = team.list.slots[index].choice.map((thing) => [thing, 0]);
      for (const [thing, points] of [...own, ...Object.entries(team.list.offers[team.upgrade])]) {
        make("option", `${thing} (${points})`, extra).value = thing;
      }
      extra.addEventListener("change", () => { if (extra.value) { team.members[index].push(extra.value); show(); } });
    }
    function show() {
      holder.replaceChildren();
      teams.forEach((team, number) => {
        const set = make("fieldset", "", holder);
        make("legend", `${team.list.title}: ${price(team)}`, set);
        if (Object.keys(team.list.offers).length > 1) {
          const upgrade = make("select", "", make("label", `${say.sayUpgrade} `, set));
          for (const name of Object.keys(team.list.offers)) make("option", name || "–", upgrade).value = name;
          upgrade.value = team.upgrade;
          upgrade.addEventListener("change", () => { team.upgrade = upgrade.value; show(); });
        }
        team.members.forEach((_, index) => member(team, index, set));
        const remove = make("button", say.sayRemove, set);
        remove.type = "button";
        remove.addEventListener("click", () => { teams.splice(number, 1); show(); });
      });
      const total = teams.reduce((sum, team) => sum + price(team), 0);
      const limit = Number(say.limit);
      live.classList.toggle("short", total > limit);
      live.textContent = fill(total > limit ? say.sayOver : say.sayLeft, { total, limit, left: limit - total, over: total - limit });
      if (!teams.length) return;
      write("build " + teams.map((team) => {
        const extras = team.members.map((things, index) => things.length ? `${index + 1}: ${things.join(" ")}` : "").filter(Boolean);
        return [team.list.name, team.upgrade, extras.length ? `(${extras.join("; ")})` : ""].filter(Boolean).join(" ");
      }).join(" + "));
    }
    box.hidden = false;
    show();
  }

  const typed = field.value;
  if (say.stage === "building") building();
  else if (svg && say.stage === "deployment") deployment();
  else if (svg && say.stage === "activation" && root.querySelector("details.man")) activation();
  if (typed) field.value = typed;
})();
