// What is drawn: elements, numbers in words, pictures. Whatever comes from data is only ever the text of an element.

/** An element with properties and children. A text among the children stays a text. */
export function el(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  const isThere = (child) => child !== null && child !== undefined;
  element.append(...children.filter(isThere).map((child) => (typeof child === 'string' ? visible(child) : child)));
  return element;
}

/** A text in which whatever hides, moves or turns others around is written as its code. */
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (letter) => '\\u{' + letter.codePointAt(0).toString(16) + '}');
}

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const whole = (number) => Number(number).toLocaleString('en');
export const percent = (share) => (100 * share).toLocaleString('en', { maximumFractionDigits: share < 0.1 ? 1 : 0 }) + ' %';
export const counted = (number, [one, many]) => whole(number) + ' ' + (number === 1 ? one : many);

export function bytes(number) {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  while (number >= 1000 && at < units.length - 1) {
    number /= 1000;
    at += 1;
  }
  return number.toLocaleString('en', { maximumFractionDigits: at && number < 10 ? 1 : 0 }) + ' ' + units[at];
}

/** Bars with their names and numbers; `rows` are [name, share of the whole, number in words, class]. */
export function bars(rows) {
  const row = ([name, share, words, kind]) => {
    const bar = el('span', { class: kind || 'bar', 'aria-hidden': 'true' });
    bar.style.width = 100 * Math.min(1, share) + '%';
    return el('li', null, el('span', null, name), el('span', { class: 'track' }, bar), el('span', { class: 'note' }, words));
  };
  return el('ul', { class: 'bars' }, ...rows.map(row));
}

/** Points to click on; each is {x, y, name, kind, chosen, choose}. */
export function front(points, across, up) {
  const [width, height, left, bottom] = [640, 360, 56, 46];
  const most = (key) => Math.max(...points.map((point) => point[key]), 1e-9) * 1.08;
  const [mostX, mostY] = [most('x'), most('y')];
  const x = (value) => left + (value / mostX) * (width - left - 20);
  const y = (value) => height - bottom - (value / mostY) * (height - bottom - 20);
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  drawing.append(
    svg('line', { x1: left, y1: height - bottom, x2: width - 10, y2: height - bottom, class: 'axis' }),
    svg('line', { x1: left, y1: 10, x2: left, y2: height - bottom, class: 'axis' }),
    svg('text', { x: width - 10, y: height - 8, 'text-anchor': 'end' }, across + ' →'),
    svg('text', { x: left + 8, y: 18 }, '↑ ' + up),
  );
  for (const share of [0, 0.5, 1]) {
    const of = (most) => ((most / 1.08) * share).toLocaleString('en', { maximumSignificantDigits: 3 });
    drawing.append(
      svg('text', { x: x((mostX / 1.08) * share), y: height - bottom + 17, 'text-anchor': 'middle', class: 'muted' }, of(mostX)),
      svg('text', { x: left - 6, y: y((mostY / 1.08) * share) + 4, 'text-anchor': 'end', class: 'muted' }, of(mostY)),
    );
  }
  for (const point of points) {
    const circle = svg('circle', { cx: x(point.x), cy: y(point.y), r: point.chosen ? 9 : 7, class: 'point' + (point.kind % 2 ? ' other' : '') + (point.chosen ? ' chosen' : '') }, svg('title', {}, point.name));
    circle.addEventListener('click', point.choose);
    // A name stands where there is room for it.
    const isRight = x(point.x) > 0.6 * width;
    drawing.append(circle, svg('text', { x: x(point.x) + (isRight ? -13 : 13), y: y(point.y) + 4, 'text-anchor': isRight ? 'end' : 'start', class: 'muted' }, point.short));
  }
  return el('div', { class: 'chart' }, drawing);
}

/** A table; cells may be elements. `numbers` says which columns hold numbers. */
export function table(head, rows, numbers = []) {
  const kind = (at) => (numbers.includes(at) ? 'number' : null);
  return [
    el('thead', null, el('tr', null, ...head.map((name, at) => el('th', { scope: 'col', class: kind(at) }, name)))),
    el('tbody', null, ...rows.map((row) => el('tr', null, ...row.map((cell, at) => el('td', { class: kind(at) }, cell))))),
  ];
}

/** How far a run is, with a button that stops it. */
export function working(place, title, onStop) {
  const bar = el('progress', { max: 1, value: 0, 'aria-label': title });
  const words = el('p', null, 'Waiting …');
  const button = el('button', { type: 'button', onclick: onStop }, 'Stop');
  place.replaceChildren(el('p', { class: 'lead' }, title), bar, words, button);
  place.hidden = false;
  let stage = '';
  let began = 0;
  let seconds = '';
  return (state) => {
    if (state.state === 'waiting') {
      words.textContent = 'Waiting: two run at once.';
      return '';
    }
    const isNew = state.stage !== stage;
    if (isNew) [stage, began] = [state.stage, performance.now()];
    const share = state.total ? state.done / state.total : 0;
    bar.value = share;
    const spent = (performance.now() - began) / 1000;
    seconds = share > 0.02 && share < 1 && spent > 1 ? ', about ' + remaining((spent / share) * (1 - share)) + ' left' : '';
    words.textContent = (stage || 'starting') + (state.total ? ': ' + Math.floor(100 * share) + ' %' : '') + seconds;
    return isNew ? stage : '';
  };
}

function remaining(seconds) {
  if (seconds < 90) return Math.ceil(seconds) + ' s';
  return seconds < 5400 ? Math.ceil(seconds / 60) + ' minutes' : Math.ceil(seconds / 3600) + ' hours';
}
