// Forms that are made from the catalogue: a control for each flag or parameter, with its name and its own words.

import { el, visible } from '/drawn.js';

/** A control for something that can be told: {name, help, takes, choices, default}. `files` are those that can be named. */
export function control(told, prefix, files) {
  const id = prefix + '-' + told.name;
  const words = told.help || told.summary || '';
  const note = el('p', { class: 'note', id: id + '-note' }, words + (told.default && told.takes !== 'switch' ? ' (usually ' + told.default + ')' : ''));
  const wrong = el('p', { class: 'wrong', id: id + '-wrong', role: 'alert', hidden: true });
  const shared = { id, 'data-name': told.name, 'aria-describedby': id + '-note ' + id + '-wrong' };
  if (told.takes === 'switch') {
    const box = el('input', { ...shared, type: 'checkbox', 'data-default': told.default === 'true' ? 'true' : 'false' });
    box.checked = told.default === 'true';
    return el('div', { class: 'field check' }, box, el('label', { for: id }, told.name), note, wrong);
  }
  let input;
  if (told.takes === 'file') {
    input = el('select', shared, el('option', { value: '' }, 'none'), ...files.map((file) => el('option', { value: file.file }, file.name)));
  } else if (told.choices && told.choices.length) {
    input = el('select', shared, el('option', { value: '' }, 'as usual'), ...told.choices.map((choice) => el('option', { value: choice }, choice)));
  } else {
    input = el('input', { ...shared, type: 'text', autocomplete: 'off', spellcheck: 'false' });
  }
  return el('div', { class: 'field' }, el('label', { for: id }, told.name), input, note, wrong);
}

/** What was told in a form, without what is as usual. */
export function told(form) {
  const request = {};
  for (const input of form.querySelectorAll('[data-name]')) {
    if (input.type === 'checkbox') {
      if (String(input.checked) !== input.dataset.default) request[input.dataset.name] = input.checked;
    } else if (input.value.trim() !== '') {
      request[input.dataset.name] = input.value.trim();
    }
  }
  return request;
}

/** Takes away what was said of controls. */
export function allRight(...places) {
  for (const place of places) {
    for (const wrong of place.querySelectorAll('.wrong')) wrong.hidden = true;
    for (const input of place.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  }
}

/** Says what is wrong at the control that caused it, or else in a place of the step. Gives what was said. */
export function sayWrong(error, step, place) {
  const errors = error.errors && error.errors.length ? error.errors : [error];
  const rest = [];
  let first = null;
  for (const each of errors) {
    const words = each.message + (each.hint ? '\n' + each.hint : '');
    const name = (each.message.match(/`(?:--)?([a-z0-9-]+)`|--([a-z0-9-]+)/) || []).slice(1).find(Boolean);
    const input = name && (step.querySelector('[data-name="' + name + '"]') || step.querySelector('#' + CSS.escape(name)));
    const own = input && document.getElementById(input.id + '-wrong');
    if (own) {
      own.textContent = visible(words);
      own.hidden = false;
      input.setAttribute('aria-invalid', 'true');
      const closed = input.closest('details:not([open])');
      if (closed) closed.open = true;
      first = first || input;
    } else {
      rest.push(words);
    }
  }
  if (rest.length) {
    place.textContent = visible(rest.join('\n'));
    place.hidden = false;
  }
  if (first) first.focus();
  else place.scrollIntoView({ block: 'nearest' });
}
