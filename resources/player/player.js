"use strict";
(() => {
  const run = JSON.parse(document.getElementById("run").textContent);
  const get = (id) => document.getElementById(id);
  const { steps, extents, things, printed, spans } = run;
  const pieces = spans.map((_, index) => get("p" + index));
  const last = steps.length - 1;
  const comes = steps.map(() => []);
  const goes = steps.map(() => []);
  spans.forEach((pairs, index) => {
    for (let at = 0; at < pairs.length; at += 2) {
      comes[pairs[at]].push(index);
      if (pairs[at + 1] <= last) goes[pairs[at + 1]].push(index);
    }
  });
  let now = -1, chosen = "", playing = 0, zoom = 0, known = "";

  const seenAt = (step) => spans.map((pairs) => {
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] <= step && step < pairs[at + 1]) return true;
    return false;
  });

  const show = (index, is, fresh) => {
    pieces[index].classList.toggle("off", !is);
    pieces[index].classList.toggle("new", is && fresh);
  };

  function paint(step) {
    if (step === now + 1) {
      goes[step].forEach((index) => show(index, false, false));
      comes[step].forEach((index) => show(index, true, true));
    } else if (step === now - 1) {
      comes[now].forEach((index) => show(index, false, false));
      goes[now].forEach((index) => show(index, true, false));
    } else {
      seenAt(step).forEach((is, index) => show(index, is, false));
    }
  }

  const latest = (rows, step) => {
    let found = null;
    for (const row of rows) { if (row[0] > step) break; found = row; }
    return found;
  };

  const said = (key) => {
    const found = latest(things[key], now);
    return found && found.length > 1 ? found : null;
  };

  function fit(step) {
    const [, left, top, width, height] = latest(extents, step) || extents[0];
    const picture = get("picture"), room = get("graph");
    const high = parseFloat(getComputedStyle(room).maxHeight) || innerHeight / 2;
    picture.setAttribute("viewBox", [left, top, width, height].join(" "));
    const whole = Math.min((room.clientWidth - 4) / width, (high - 4) / height, 1.6);
    const scale = Math.max(whole, 1) * Math.pow(1.25, zoom);
    picture.setAttribute("width", width * scale);
    picture.setAttribute("height", height * scale);
  }

  function follow() {
    const room = get("graph"), mark = document.querySelector("#marks > :not(.off)");
    if (!mark || (room.scrollWidth <= room.clientWidth && room.scrollHeight <= room.clientHeight)) return;
    const box = mark.getBoundingClientRect(), around = room.getBoundingClientRect();
    const inside = box.left >= around.left && box.right <= around.right && box.top >= around.top && box.bottom <= around.bottom;
    if (!inside) {
      room.scrollLeft += (box.left + box.right - around.left - around.right) / 2;
      room.scrollTop += (box.top + box.bottom - around.top - around.bottom) / 2;
    }
  }

  function element(parent, tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    parent.appendChild(made);
    return made;
  }

  function tell() {
    const key = chosen || steps[now].about;
    const found = things[key] && said(key);
    const rows = get("rows");
    rows.textContent = "";
    if (!found) { element(rows, "p", chosen ? "It is not there yet." : "This step is about no tensor and no operation."); return; }
    element(rows, "h3", found[1]);
    for (const [title, lines] of found[2]) {
      const table = element(rows, "table");
      if (title) element(table, "caption", title);
      for (const index of lines) {
        const [label, text, tone] = run.rows[index];
        const row = element(table, "tr");
        element(row, "th", label).scope = "row";
        element(row, "td", text, tone || "");
      }
    }
  }

  function offer() {
    const seen = Object.keys(things).filter(said);
    const names = seen.map((key) => said(key)[1]);
    const text = names.join("\n");
    const list = get("thing");
    if (text !== known) {
      known = text;
      list.textContent = "";
      element(list, "option", "this step").value = "";
      seen.forEach((key, index) => { element(list, "option", names[index]).value = key; });
    }
    list.value = seen.includes(chosen) ? chosen : "";
  }

  function mark() {
    document.querySelectorAll("#items > g").forEach((item) => item.classList.toggle("chosen", item.dataset.thing === chosen));
  }

  function write() {
    const step = steps[now];
    get("title").textContent = step.number + (now ? " of " + run.count : "") + " · " + step.title;
    get("sentence").textContent = step.sentence;
    get("next").textContent = step.next ? "Next: " + step.next : "";
    get("call").textContent = step.call || "";
    const slider = get("slider");
    slider.value = now;
    slider.setAttribute("aria-valuetext", step.number + ": " + step.title);
    get("picture").setAttribute("aria-label", step.seen);
    document.querySelectorAll("#code li.now").forEach((line) => line.classList.remove("now"));
    const line = get("L" + step.line);
    if (line) {
      line.classList.add("now");
      const room = get("code");
      if (line.offsetTop < room.scrollTop || line.offsetTop + line.offsetHeight > room.scrollTop + room.clientHeight)
        room.scrollTop = line.offsetTop - room.clientHeight / 2;
    }
    for (const piece of get("printed").children) piece.hidden = Number(piece.dataset.step) > now;
    get("output").hidden = !printed.length;
    ["first", "back"].forEach((id) => { get(id).disabled = now === 0; });
    ["on", "last"].forEach((id) => { get(id).disabled = now === last; });
  }

  function go(step) {
    const to = Math.max(0, Math.min(last, Math.round(step) || 0));
    if (to === now) return;
    paint(to);
    now = to;
    fit(now);
    write();
    offer();
    tell();
    mark();
    follow();
  }

  function stop() {
    clearTimeout(playing);
    playing = 0;
    get("play").textContent = "▶ Play";
    get("play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (playing) { stop(); return; }
    if (now === last) go(0);
    const turn = () => {
      if (now === last) { stop(); return; }
      const words = steps[now].sentence.length;
      playing = setTimeout(() => { go(now + 1); turn(); }, Math.min(9000, 900 + 45 * words) / Number(get("speed").value));
    };
    get("play").textContent = "⏸ Pause";
    get("play").setAttribute("aria-pressed", "true");
    turn();
  }

  function choose(key) {
    chosen = key;
    offer();
    tell();
    mark();
  }

  function turnTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme === "dark" ||
      (root.dataset.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "light" : "dark";
  }

  function scale(by) {
    zoom = by ? zoom + by : 0;
    fit(now);
    follow();
  }

  const keys = {
    ArrowRight: () => { stop(); go(now + 1); }, ArrowLeft: () => { stop(); go(now - 1); },
    PageDown: () => { stop(); go(now + 1); }, PageUp: () => { stop(); go(now - 1); },
    Home: () => { stop(); go(0); }, End: () => { stop(); go(last); },
    " ": play, t: turnTheme, "+": () => scale(1), "=": () => scale(1), "-": () => scale(-1), 0: () => scale(0),
    Escape: () => choose(""),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const tag = event.target.tagName;
    if (tag === "SELECT" || (event.key === " " && tag === "BUTTON")) return;
    const does = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  get("first").onclick = keys.Home;
  get("back").onclick = keys.ArrowLeft;
  get("on").onclick = keys.ArrowRight;
  get("last").onclick = keys.End;
  get("play").onclick = play;
  get("theme").onclick = turnTheme;
  get("larger").onclick = () => scale(1);
  get("smaller").onclick = () => scale(-1);
  get("slider").max = last;
  get("slider").oninput = () => { stop(); go(Number(get("slider").value)); };
  get("thing").onchange = () => choose(get("thing").value);
  get("picture").onclick = (event) => {
    const item = event.target.closest("[data-thing]");
    choose(item && item.dataset.thing !== chosen ? item.dataset.thing : "");
  };
  let touched = null;
  get("said").addEventListener("touchstart", (event) => { touched = event.touches[0]; }, { passive: true });
  get("said").addEventListener("touchend", (event) => {
    const end = event.changedTouches[0], across = end.clientX - touched.clientX, down = end.clientY - touched.clientY;
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) { stop(); go(now + (across < 0 ? 1 : -1)); }
  }, { passive: true });
  addEventListener("resize", () => { fit(now); follow(); });
  addEventListener("beforeprint", () => {
    const list = get("list");
    if (!list.children.length) steps.forEach((step) => element(list, "li", step.number + " · " + step.title + ": " + step.sentence));
  });

  printed.forEach(([step, stream, text]) => { element(get("printed"), "span", text, stream).dataset.step = step; });
  const track = get("phases");
  track.setAttribute("viewBox", "0 0 " + steps.length + " 8");
  for (let at = 0; at < steps.length;) {
    let end = at;
    while (end < steps.length && steps[end].phase === steps[at].phase) end += 1;
    const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const low = steps[at].phase === "forward" ? 2 : 0;
    for (const [name, value] of [["x", at], ["y", low], ["width", end - at], ["height", 8 - 2 * low], ["class", steps[at].phase]])
      part.setAttribute(name, value);
    track.appendChild(part);
    at = end;
  }
  const asked = new URLSearchParams(location.hash.slice(1));
  if (["light", "dark"].includes(asked.get("theme"))) document.documentElement.dataset.theme = asked.get("theme");
  if (window.self !== window.top || asked.has("embed")) document.body.classList.add("embedded");
  const wanted = () => {
    const cursor = new URLSearchParams(location.hash.slice(1)).get("step");
    return cursor === null ? -1 : steps.findIndex((one) => one.cursor >= Number(cursor));
  };
  const from = wanted();
  addEventListener("hashchange", () => { if (wanted() >= 0) go(wanted()); });
  go(from >= 0 ? from : run.start);
})();
