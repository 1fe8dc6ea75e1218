// The map wherever a page shows it: it is moved with a finger or the mouse, enlarged with two fingers,
// the wheel, keys or buttons. Without this script it lies in a window that scrolls, in three sizes.
// What is enlarged is the width of the drawing in that window; moving it scrolls the window.
"use strict";

(() => {
  // how wide an inch of the table may get, in pixels of the page
  const MOST = 90;
  // an inch at first on a phone: signs are then wide enough for a finger
  const FIRST = 19;
  // so near the edge of the window a place counts as out of sight, and so much the buttons take
  const NEAR = 32,
    BUTTONS = 60;
  // from this width on buttons stand below the map (look.css)
  const DESK = matchMedia("(min-width: 60rem)");
  // so much of the drawing do the numbers below the table take
  const NUMBERS = 24;
  // so far may a finger slip in a tap
  const SLIP = 8;

  class TableMap {
    constructor(frame) {
      this.frame = frame;
      this.box = frame.closest(".framed-map");
      this.fingers = new Map();
      this.dragged = false;
      this.box.classList.add("live");
      this.buttons();
      this.listen();
      this.open();
    }
    // it is another one after orders were told
    get svg() {
      return this.frame.querySelector("svg.skirmish-map");
    }
    get wide() {
      return this.svg.viewBox.baseVal.width;
    }
    // pixels of the page that one inch of the table takes
    get inch() {
      return this.svg.getScreenCTM().a * 20;
    }
    get least() {
      const high = this.svg.viewBox.baseVal.height;
      return Math.min(this.frame.clientWidth / this.wide, this.frame.clientHeight / high) * 20;
    }
    // the window without its rim
    get inside() {
      const { clientLeft, clientTop, clientWidth, clientHeight } = this.frame,
        { left, top } = this.frame.getBoundingClientRect();
      return new DOMRect(left + clientLeft, top + clientTop, clientWidth, clientHeight);
    }
    // what of it no button lies on: but on a desk they take its upper and its right edge
    get free() {
      const { left, top, width, height } = this.inside,
        taken = DESK.matches ? 0 : BUTTONS;
      return new DOMRect(left, top + taken, width - taken, height - taken);
    }
    // where a place of the drawing is in the window of the browser
    onPage([x, y]) {
      return new DOMPoint(x, y).matrixTransform(this.svg.getScreenCTM());
    }
    onDrawing(x, y) {
      return new DOMPoint(x, y).matrixTransform(this.svg.getScreenCTM().inverse());
    }

    resize(inch, at) {
      const seen = this.frame.getBoundingClientRect();
      const [x, y] = at ?? [seen.left + seen.width / 2, seen.top + seen.height / 2];
      const held = this.onDrawing(x, y);
      const set = Math.min(MOST, Math.max(this.least, inch));
      this.svg.style.width = `${(set / 20) * this.wide}px`;
      // names and numbers keep their size on the page
      this.frame.style.setProperty("--pixel", `${20 / set}px`);
      const now = this.onPage([held.x, held.y]);
      this.frame.scrollLeft += now.x - x;
      this.frame.scrollTop += now.y - y;
    }
    // the width of the drawing, to be given to the one that comes in its place
    get size() {
      return this.svg.style.width;
    }
    set size(width) {
      this.svg.style.width = width;
    }
    centre([x, y], seen = this.free) {
      const at = this.onPage([x, y]);
      this.frame.scrollLeft += at.x - seen.left - seen.width / 2;
      this.frame.scrollTop += at.y - seen.top - seen.height / 2;
    }
    // all of it, in the middle of the window
    whole() {
      this.resize(0);
      const { x, y, width, height } = this.svg.viewBox.baseVal;
      this.centre([x + width / 2, y + height / 2], this.inside);
    }
    // brings a place into the window if it is not there
    show(place) {
      const at = this.onPage(place),
        seen = this.inside;
      const inside =
        at.x > seen.left + NEAR &&
        at.x < seen.right - NEAR - BUTTONS &&
        at.y > seen.top + BUTTONS &&
        at.y < seen.bottom - NEAR;
      if (inside) return;
      this.centre(place);
      this.keep();
    }
    // the table, as far as it goes, instead of what lies above, below and beside it
    keep(seen = this.free) {
      const { x, width } = this.svg.viewBox.baseVal,
        { height } = this.svg.querySelector(".ground").getBBox();
      const first = this.onPage([x, 0]),
        last = this.onPage([x + width, height + NUMBERS]);
      const shift = (start, end, from, to) =>
        to - from < end - start
          ? (from + to - start - end) / 2
          : Math.max(0, from - start) - Math.max(0, end - to);
      this.frame.scrollLeft += shift(seen.left, seen.right, first.x, last.x);
      this.frame.scrollTop += shift(seen.top, seen.bottom, first.y, last.y);
    }
    // around those whom the turn is about; on a desk as wide as the window
    open() {
      this.seen = this.frame.clientWidth;
      const phone = this.frame.clientWidth < 600;
      this.svg.style.width = "100%";
      this.resize(phone ? FIRST : (this.frame.clientWidth / this.wide) * 20);
      const names = (this.svg.dataset.focus || "").split(" ").filter(Boolean);
      const places = names
        .map((name) => this.svg.querySelector(`.model[data-place="${CSS.escape(name)}"]`))
        .filter(Boolean)
        .map((model) => {
          const box = model.getBoundingClientRect();
          return this.onDrawing(box.x + box.width / 2, box.y + box.height / 2);
        });
      const zone = this.svg.querySelector(".zone rect");
      if (zone) {
        const { x, y, width, height } = zone.getBBox();
        this.centre([x + width / 2, y + height / 2]);
      } else if (places.length) {
        const middle = (part) => {
          const all = places.map((place) => place[part]);
          return (Math.min(...all) + Math.max(...all)) / 2;
        };
        this.centre([middle("x"), middle("y")]);
      } else {
        this.whole();
        // an onlooker's phone: what stands below the table may be dragged into sight
        if (phone) this.resize((this.seen / this.wide) * 20);
        this.keep(this.inside);
        return;
      }
      this.keep();
    }

    buttons() {
      const group = document.createElement("div");
      group.className = "map-zoom";
      for (const [icon, name, act] of [
        ["more", "larger", () => this.resize(this.inch * 1.4)],
        ["less", "smaller", () => this.resize(this.inch / 1.4)],
        ["whole", "whole", () => this.whole()],
      ]) {
        const button = document.createElement("button");
        button.type = "button";
        button.innerHTML = `<svg class="icon" aria-hidden="true"><use href="#icon-${icon}"/></svg>`;
        button.setAttribute("aria-label", this.box.dataset[name]);
        button.addEventListener("click", act);
        group.append(button);
      }
      this.frame.before(group);
    }
    listen() {
      const { frame, fingers } = this;
      // a phone was turned, or the window of a desk is another
      addEventListener("resize", () => frame.clientWidth !== this.seen && this.open());
      frame.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        fingers.set(event.pointerId, [event.clientX, event.clientY]);
        if (fingers.size === 1) {
          this.dragged = false;
          this.from = [event.clientX, event.clientY];
        }
      });
      frame.addEventListener("pointermove", (event) => {
        if (!fingers.has(event.pointerId)) return;
        const before = [...fingers.values()];
        fingers.set(event.pointerId, [event.clientX, event.clientY]);
        const after = [...fingers.values()];
        if (fingers.size === 1) {
          const slip = Math.hypot(event.clientX - this.from[0], event.clientY - this.from[1]);
          if (!this.dragged && slip < SLIP) return;
          if (!this.dragged) frame.setPointerCapture(event.pointerId);
          this.dragged = true;
          frame.scrollLeft -= after[0][0] - before[0][0];
          frame.scrollTop -= after[0][1] - before[0][1];
        } else if (fingers.size === 2) {
          this.dragged = true;
          const apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
          const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
          const [x, y] = middle(after),
            [was, then] = middle(before);
          frame.scrollLeft -= x - was;
          frame.scrollTop -= y - then;
          this.resize((this.inch * apart(after)) / apart(before), [x, y]);
        }
      });
      for (const end of ["pointerup", "pointercancel"])
        addEventListener(end, (event) => fingers.delete(event.pointerId));
      // what ends a drag is no tap
      frame.addEventListener(
        "click",
        (event) => {
          if (!this.dragged) return;
          event.stopImmediatePropagation();
          this.dragged = false;
        },
        true,
      );
      frame.addEventListener(
        "wheel",
        (event) => {
          event.preventDefault();
          this.resize(this.inch * Math.exp(-event.deltaY / 400), [event.clientX, event.clientY]);
        },
        { passive: false },
      );
      frame.addEventListener("keydown", (event) => {
        if (event.key === "+" || event.key === "=") this.resize(this.inch * 1.4);
        else if (event.key === "-") this.resize(this.inch / 1.4);
        else if (event.key === "0") this.whole();
        else return;
        event.preventDefault();
      });
    }
  }

  const maps = [...document.querySelectorAll(".map-window")]
    .filter((frame) => frame.querySelector("svg.skirmish-map"))
    .map((frame) => new TableMap(frame));
  // the one that orders are told on
  window.tableMap = maps[0] ?? null;
})();
