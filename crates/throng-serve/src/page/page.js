// The page: four steps, and what happens in each. Everything that it knows of kinds, methods and models comes from the catalogue.

import { Wrong, follow, get, post, remove, run, send, take } from '/doors.js';
import { bars, bytes, capital, counted, el, front, percent, table, visible, whole, working } from '/drawn.js';
import { allRight, control, sayWrong, told } from '/forms.js';

const by = (id) => document.getElementById(id);
const steps = ['choose', 'look', 'protect', 'result'];

/** What is known so far. */
const known = {
  catalogue: null,
  files: [],
  file: null,
  /** What was found when it was looked at. */
  inspected: null,
  /** What kind it is, if somebody said so, and how the columns were corrected. */
  kind: null,
  columns: {},
  /** The runs that are going on, by what they are for. */
  going: {},
  /** What was protected last, and the releases that there are. */
  result: null,
  releases: [],
};

// ---- words and steps

let saying = 0;
/** Says something to whoever does not see the page change. */
function say(words) {
  clearTimeout(saying);
  saying = setTimeout(() => {
    by('said').textContent = visible(words);
  }, 50);
}

function show(line) {
  by('shown').textContent = line;
}

function go(step) {
  for (const name of steps) {
    by(name).hidden = name !== step;
    const button = document.querySelector(`[data-step=${name}]`);
    if (name === step) button.setAttribute('aria-current', 'step');
    else button.removeAttribute('aria-current');
  }
  say('');
  by(step + '-title').focus();
  window.scrollTo(0, 0);
  if (step === 'protect') plan();
  if (step === 'result') listChecks();
}

/** Whether the steps can be gone to. */
function openSteps() {
  document.querySelector('[data-step=look]').disabled = !known.file;
  document.querySelector('[data-step=protect]').disabled = !known.inspected;
}

const kindOf = (name) => known.catalogue.kinds.find((kind) => kind.name === name);
const ofKind = (cards, kind) => cards.filter((card) => card.kinds.includes(kind));
const stopped = (state) => state.state === 'stopped';

/** Runs a command for a purpose; a later one of the same purpose stops it. Gives nothing if it was stopped. */
async function doing(purpose, command, request, { title, place, quiet } = {}) {
  await stop(purpose);
  const going = { id: null, cancelled: false };
  known.going[purpose] = going;
  const hear = place ? working(place, title, () => stop(purpose)) : () => '';
  try {
    const state = await run(
      command,
      request.file || known.file.file,
      request.keys,
      (state) => {
        const stage = hear(state);
        if (stage && !quiet) say(title + ': ' + stage);
      },
      (begun) => {
        going.id = begun.run;
        if (!quiet) show(begun.shown);
        if (going.cancelled) remove('/api/runs/' + begun.run);
      },
    );
    if (going.cancelled || stopped(state)) {
      if (!quiet) say('Stopped. Nothing was left behind.');
      return null;
    }
    return state;
  } finally {
    if (place) place.hidden = true;
    if (known.going[purpose] === going) delete known.going[purpose];
  }
}

async function stop(purpose) {
  const going = known.going[purpose];
  if (!going) return;
  going.cancelled = true;
  delete known.going[purpose];
  if (going.id) await remove('/api/runs/' + going.id).catch(() => null);
}

// ---- 1. choose

async function listFolder() {
  const found = await get('/api/folder');
  by('in-folder').hidden = found.folder === null;
  if (found.folder === null) return;
  by('folder-name').textContent = found.folder;
  const row = (file) =>
    el('li', null, el('bdi', null, file.name), el('span', { class: 'note' }, file.release ? 'a release' : bytes(file.bytes)), el('button', { type: 'button', onclick: () => takeFile({ name: file.name }), 'aria-label': 'Take ' + file.name }, 'Take'));
  const rows = found.files.map(row);
  if (!found.is_all) rows.push(el('li', null, 'There are more files; put those that you need into a smaller folder.'));
  by('folder').replaceChildren(...(rows.length ? rows : [el('li', null, 'It is empty.')]));
}

async function listFiles() {
  known.files = await get('/api/files');
  by('here').hidden = known.files.length === 0;
  const row = (file) =>
    el('li', null, el('bdi', null, file.name), el('span', { class: 'note' }, bytes(file.bytes)), el('button', { type: 'button', onclick: () => chosen(file), 'aria-label': 'Look at ' + file.name }, 'Look at it'));
  by('held').replaceChildren(...known.files.map(row));
}

async function choosing(words, making) {
  allRight(by('choose'));
  say(words);
  try {
    const file = await making();
    await listFiles();
    await chosen(file);
  } catch (error) {
    sayWrong(error, by('choose'), by('choose-wrong'));
  } finally {
    by('sent').hidden = true;
    by('pick').value = '';
  }
}

function sendFile(file) {
  const largest = known.catalogue.largest;
  return choosing('Sending the file …', () => {
    if (file.size > largest) throw new Wrong({ message: `The file has ${bytes(file.size)}, but at most ${bytes(largest)} are taken.`, hint: 'Start throng serve with --largest.' });
    by('sent').hidden = false;
    by('sent').value = 0;
    return send(file, (share) => {
      by('sent').value = share;
    });
  });
}

const takeFile = (asked) => choosing('Taking the file …', () => post('/api/files', asked));

async function chosen(file) {
  for (const purpose of Object.keys(known.going)) await stop(purpose);
  Object.assign(known, { file, inspected: null, kind: null, columns: {} });
  by('kind').value = '';
  fillReading();
  openSteps();
  go('look');
  await look();
}

// ---- 2. look

/** What was said on how to read the file: it holds for every command. */
function reading() {
  const keys = told(by('reading'));
  if (known.kind) keys.kind = known.kind;
  if (Object.keys(known.columns).length) keys.column = known.columns;
  return keys;
}

function fillReading() {
  const apart = ['kind', 'column', 'k', 'seed', 'key', 'exact', 'distance', 'query-weights', 'content', 'concepts', 'rows'];
  const flags = known.catalogue.commands.inspect.filter((flag) => !apart.includes(flag.name) && has('protect', flag.name));
  by('reading').replaceChildren(...flags.map((flag) => control(flag, 'reading', known.files.filter((file) => file.file !== known.file.file))));
}

const has = (command, name) => known.catalogue.commands[command].some((flag) => flag.name === name);

async function look() {
  allRight(by('look'));
  known.inspected = null;
  openSteps();
  by('to-protect').disabled = true;
  for (const id of ['because', 'answer', 'facts', 'crowds', 'found-by', 'questions', 'columns']) by(id).replaceChildren();
  for (const id of ['asks', 'roles']) by(id).hidden = true;
  try {
    const found = await doing('look', 'inspect', { keys: reading() }, { title: 'Looking at the file', place: by('look-work') });
    if (!found) return;
    known.inspected = found.result;
    showFound(found);
    if (hasNoRoles(found.result)) {
      known.inspected = null;
      say('It is a table. Please check what its columns hold.');
      return;
    }
    openSteps();
    by('to-protect').disabled = false;
    say('It is ' + found.result.kind + '. Now looking who is alone.');
    const audited = await doing('look', 'audit', { keys: reading() }, { title: 'Looking who is alone', place: by('look-work') });
    if (audited) showAudit(audited);
  } catch (error) {
    sayWrong(error, by('look'), by('look-wrong'));
    say('The file could not be read. ' + error.message);
  }
}

function showFound({ result, notes }) {
  const kind = kindOf(result.kind);
  by('kind').value = result.kind;
  by('because').textContent = (kind ? capital(kind.summary) + '. ' : '') + (result.because ? 'Recognised because ' + result.because + '.' : '');
  const facts = [
    ['File', el('bdi', null, known.file.name)],
    ['Format', result.format],
    [capital(kind.person[1]), whole(result.persons)],
    ['rows' in result && capital(kind.row[1]), 'rows' in result && whole(result.rows)],
    ['From', result.first_time],
    ['To', result.last_time],
  ].filter(([name, value]) => name && value !== undefined && value !== null);
  by('facts').replaceChildren(...facts.flatMap(([name, value]) => [el('dt', null, name), el('dd', null, value)]));
  showColumns(result, kind);
  const questions = notes.map((note) => el('li', null, note));
  const person = ['user', 'person'].map((role) => (result.columns || {})[role]).find((name) => typeof name === 'string');
  if (person !== undefined) questions.unshift(askPerson(person, result, kind));
  if (hasNoRoles(result)) {
    const take = el('button', { type: 'button', id: 'take-guesses', onclick: lookAgain }, 'Yes, take them');
    questions.unshift(el('li', null, el('p', null, 'The roles of the columns below are guesses. Are they right? Correct those that are not, then take them.'), el('div', { class: 'line' }, take)));
  }
  by('questions').replaceChildren(...questions);
  by('asks').hidden = questions.length === 0;
}

/** Whether it is a table whose columns have no roles yet. */
const hasNoRoles = (result) => Boolean(result.table) && result.table.columns.every((column) => !column.role);

function askPerson(column, result, kind) {
  const yes = () => {
    question.replaceChildren(el('p', null, 'Good: ', el('bdi', null, '“' + column + '”'), ' tells ' + kind.person[1] + ' apart.'));
    say('Noted.');
  };
  const no = () => {
    const select = [...by('columns').querySelectorAll('[data-column]')].find((select) => select.dataset.column === column);
    if (select) select.focus();
    say('Say which column tells persons apart.');
  };
  const question = el(
    'li',
    null,
    el('p', null, 'Is ', el('bdi', null, '“' + column + '”'), ' the ' + kind.person[0] + '? It has ' + counted(result.persons, ['value', 'different values']) + (result.rows ? ' in ' + whole(result.rows) + ' ' + kind.row[1] : '') + '.'),
    el('div', { class: 'line' }, el('button', { type: 'button', onclick: yes }, 'Yes'), el('button', { type: 'button', onclick: no }, 'No, another column')),
  );
  return question;
}

/** The columns with their roles, to be corrected. */
function showColumns(result, kind) {
  // A table says itself what its columns are; other kinds have a column for a role.
  const ofTable = (result.table || {}).columns || [];
  const roles = { ...result.columns };
  for (const column of ofTable) if (column.role) roles[column.role] = [...(roles[column.role] || []), column.name];
  const columns = [...ofTable.map((column) => column.name), ...Object.values(roles).flat().filter((name) => typeof name === 'string'), ...(result.unmapped || [])].filter((name, at, all) => all.indexOf(name) === at);
  by('roles').hidden = columns.length === 0 || kind.roles.length === 0;
  const roleOf = (name) => Object.keys(roles).find((role) => [roles[role]].flat().includes(name)) || '';
  // Of tables nobody knows: what is guessed is shown, and counts once it is taken.
  const guesses = new Map(ofTable.map((column) => [column.name, column]));
  const one = (name, at) => {
    const id = 'column-' + at;
    const guess = guesses.get(name) || {};
    const select = el('select', { id, 'data-column': name }, el('option', { value: '' }, 'no role'), ...kind.roles.map((role) => el('option', { value: role }, role)));
    select.dataset.was = roleOf(name);
    select.value = roleOf(name) || (Object.keys(roles).length === 0 && kind.roles.includes(guess.guess) ? guess.guess : '');
    const why = guess.because ? el('p', { class: 'note', id: id + '-note' }, guess.because) : null;
    if (why) select.setAttribute('aria-describedby', id + '-note');
    return el('div', { class: 'field' }, el('label', { for: id }, name), select, why);
  };
  by('columns').replaceChildren(...columns.map(one));
}

function lookAgain() {
  // Roles are those of a kind.
  known.kind = by('kind').value || null;
  const selects = [...by('columns').querySelectorAll('[data-column]')];
  const changed = new Set(selects.filter((select) => select.value !== select.dataset.was).flatMap((select) => [select.value, select.dataset.was]));
  for (const role of changed) {
    if (!role) continue;
    const columns = selects.filter((select) => select.value === role).map((select) => select.dataset.column);
    known.columns[role] = columns.length > 1 ? columns : columns[0] || null;
  }
  return look();
}

function showAudit({ result }) {
  const kind = kindOf(result.kind);
  const holds = result.verdict === 'holds';
  by('answer').className = 'lead ' + (holds ? 'good' : 'bad');
  by('answer').textContent = holds
    ? `Everybody is one of at least ${result.k}: the file is anonymous in that sense as it is.`
    : `${whole(result.persons_below_k)} of ${counted(result.persons, kind.person)} are in crowds of fewer than ${result.k}.`;
  const crowd = ({ from, to }) => (to === 1 ? 'alone' : to === null ? from + ' and more alike' : from === to ? from + ' alike' : from + ' to ' + to + ' alike');
  const crowds = (result.crowds || []).filter((each) => each.persons > 0);
  const row = (each) => [crowd(each), each.persons / Math.max(1, result.persons), whole(each.persons) + ' (' + percent(each.persons / Math.max(1, result.persons)) + ')', each.from < result.k ? 'alone' : 'bar'];
  by('crowds').replaceChildren(...(crowds.length ? [el('p', { class: 'note' }, 'How many have the same record, themselves included:'), bars(crowds.map(row))] : []));
  const facts = result.singled_out || [];
  const found = facts.flatMap((each) => Object.entries(each.alone).slice(0, 1).map(([number, share]) => ['knows ' + (number === '1' ? 'one' : number) + ' of their ' + each.facts, share, percent(share), 'alone']));
  by('found-by').replaceChildren(...(found.length ? [el('p', { class: 'note' }, 'Whom somebody finds who knows a little:'), bars(found)] : []));
  say(by('answer').textContent);
}

// ---- 3. protect

function fillMethods() {
  const kind = known.inspected.kind;
  if (by('method').dataset.kind === kind) return;
  by('method').dataset.kind = kind;
  const methods = ofKind(known.catalogue.methods, kind);
  by('method').replaceChildren(...methods.map((card) => el('option', { value: card.name }, card.name)));
  by('method').value = kindOf(kind).method || methods[0].name;
  const usual = kindOf(kind).method;
  const box = (card, at) => {
    const input = el('input', { type: 'checkbox', id: 'compared-' + card.name, value: card.name });
    input.checked = card.name === usual || at === 1;
    return el('div', { class: 'field check' }, input, el('label', { for: input.id }, card.name), el('p', { class: 'note' }, card.summary));
  };
  by('compared').replaceChildren(...methods.map(box));
  by('comparison').hidden = true;
  const apart = ['method', 'k', 'key', 'dry-run', 'json', 'original'];
  const parameters = new Set(methods.flatMap((card) => card.parameters.map((parameter) => parameter.name)));
  const all = known.catalogue.methods.flatMap((card) => card.parameters.map((parameter) => parameter.name));
  const others = known.catalogue.commands.protect.filter(
    (flag) => !apart.includes(flag.name) && !has('inspect', flag.name) && !parameters.has(flag.name) && !all.includes(flag.name),
  );
  const seed = known.catalogue.commands.protect.find((flag) => flag.name === 'seed');
  by('others').replaceChildren(...[...others, seed].map((flag) => control(flag, 'other', known.files)));
  showMethod();
}

const method = () => ofKind(known.catalogue.methods, known.inspected.kind).find((card) => card.name === by('method').value);

function showMethod() {
  const card = method();
  if (!card) return;
  by('summary').textContent = capital(card.summary) + '.';
  by('details').replaceChildren(...card.details.split('\n').filter((line) => line.trim()).map((line) => el('p', null, line)));
  const own = card.parameters.filter((parameter) => parameter.name !== 'k');
  by('parameters').replaceChildren(...own.map((parameter) => control(parameter, 'parameter', known.files)));
  by('parameters').closest('details').hidden = own.length === 0;
  const hasK = card.parameters.some((parameter) => parameter.name === 'k');
  by('k').disabled = !hasK;
}

/** The request that the forms make. */
function wanted() {
  const keys = { ...reading(), method: by('method').value, ...told(by('parameters')), ...told(by('others')) };
  if (!by('k').disabled) keys.k = by('k').value;
  if (by('with-key').checked) keys.key = true;
  return keys;
}

let planning = 0;
/** Asks what would be done, when nothing was changed for a moment. */
function plan() {
  if (!known.inspected) return;
  fillMethods();
  clearTimeout(planning);
  planning = setTimeout(planned, 400);
}

async function planned() {
  allRight(by('protect'));
  by('protect-now').disabled = false;
  by('expected').textContent = 'Asking what it would promise …';
  const keys = wanted();
  try {
    const { shown } = await post('/api/line', { command: 'protect', file: known.file.file, request: keys });
    show(shown);
    const found = await doing('plan', 'protect', { keys: { ...keys, key: false, 'dry-run': true } }, { quiet: true });
    if (!found) return;
    showPromises(found.result.claims);
    const expected = found.result.expected;
    by('expected').textContent = 'It would take about ' + (expected.seconds < 60 ? Math.ceil(expected.seconds) + ' s' : Math.ceil(expected.seconds / 60) + ' minutes') + (expected.memory_bytes ? ' and ' + bytes(expected.memory_bytes) + ' of memory.' : '.');
  } catch (error) {
    by('expected').textContent = '';
    by('promise').replaceChildren(el('p', null, 'Nothing, as it stands.'));
    sayWrongQuietly(error, by('protect'), by('protect-wrong'));
  }
}

/** Says what is wrong, and leaves the focus where somebody types. */
function sayWrongQuietly(error, step, place) {
  const focused = document.activeElement;
  sayWrong(error, step, place);
  if (focused && focused !== document.body) focused.focus({ preventScroll: true });
}

function promiseOf(claim) {
  const cards = known.catalogue.models.filter((card) => card.name === claim.model);
  return cards.find((card) => card.kinds.includes(known.inspected ? known.inspected.kind : '')) || cards[0] || { summary: claim.model, not: [] };
}

const parametersOf = (claim) => Object.entries(claim.parameters || {}).map(([name, value]) => name + ' = ' + value).join(', ');

function showPromises(claims) {
  if (!claims.length) {
    by('promise').replaceChildren(el('p', { class: 'danger' }, 'Nothing: this method makes no promise that can be checked.'));
    return;
  }
  const one = (claim) => {
    const card = promiseOf(claim);
    const not = (card.not || []).map((sentence) => el('li', null, sentence));
    return [
      el('p', null, el('strong', null, claim.model), parametersOf(claim) ? ' (' + parametersOf(claim) + ')' : '', ': ', card.promise || card.summary + '.'),
      not.length ? el('details', null, el('summary', null, 'What it does not promise'), el('ul', null, ...not)) : null,
    ];
  };
  by('promise').replaceChildren(...claims.flatMap(one).filter(Boolean));
}

async function protect() {
  allRight(by('protect'));
  by('protect-now').disabled = true;
  try {
    await stop('plan');
    const state = await doing('protect', 'protect', { keys: wanted() }, { title: 'Protecting', place: by('protect-work') });
    if (!state) return;
    known.releases.push(state);
    known.result = state;
    showResult(state);
    go('result');
    say('Done. ' + by('verdict').textContent);
  } catch (error) {
    sayWrong(error, by('protect'), by('protect-wrong'));
    say('It was not protected. ' + error.message);
  } finally {
    by('protect-now').disabled = false;
  }
}

async function compare() {
  allRight(by('protect'));
  const methods = [...by('compared').querySelectorAll('input:checked')].map((input) => input.value);
  try {
    if (!methods.length) throw new Wrong({ message: 'No method is chosen.', hint: 'Choose one or more of them.' });
    const keys = { ...reading(), methods, k: by('ks').value };
    const state = await doing('compare', 'compare', { keys }, { title: 'Comparing', place: by('compare-work') });
    if (state) showComparison(state);
  } catch (error) {
    sayWrong(error, by('comparing'), by('compare-wrong'));
    say('It was not compared. ' + error.message);
  }
}

/** The comparison as a front to choose from: by what is risked, and by what is lost. */
function showComparison(state) {
  const { cells, recommendation } = state.result;
  const numbers = new Map();
  const key = (name, number) => {
    if (Number.isFinite(number) && !numbers.has(name)) numbers.set(name, true);
    return number;
  };
  const values = cells.map((cell) => {
    const measured = cell.measures.map((each) => [each.name, key(each.name, each.value)]);
    const attacked = (cell.attacks || []).map((each) => [each.label || each.name, key(each.label || each.name, 100 * each.rate)]);
    return Object.fromEntries([...attacked, ...measured].filter(([, number]) => Number.isFinite(number)));
  });
  const names = [...numbers.keys()].filter((name) => values.every((value) => name in value));
  const isRisk = (name) => values.length && (cells[0].attacks || []).some((each) => (each.label || each.name) === name);
  const units = new Map(known.catalogue.measures.map((card) => [card.name, card.unit]));
  const worded = (name) => (isRisk(name) ? name + ': how often right, %' : name + (units.get(name) ? ', ' + units.get(name) : ''));
  const axis = (id, label, usual) => {
    const select = el('select', { id, onchange: () => draw() }, ...names.map((name) => el('option', { value: name }, worded(name))));
    select.value = usual;
    return [el('div', { class: 'field' }, el('label', { for: id }, label), select), select];
  };
  const loss = ['information-loss-ratio', 'information-loss', 'loss'].find((name) => names.includes(name)) || names[names.length - 1];
  const [acrossField, across] = axis('across', 'Across: risk', names.find(isRisk) || names[0]);
  const [upField, up] = axis('up', 'Up: loss', loss);
  let chosenAt = cells.findIndex((cell) => recommendation && cell.method === recommendation.method && cell.k === recommendation.k);
  const methods = [...new Set(cells.map((cell) => cell.method))];
  const picture = el('div');
  const list = el('table');
  const choose = (at, isSaid) => {
    chosenAt = at;
    by('method').value = cells[at].method.split(':')[0];
    showMethod();
    if (cells[at].k) by('k').value = cells[at].k;
    plan();
    draw();
    if (isSaid) say('Chosen: ' + cells[at].method + (cells[at].k ? ' with k = ' + cells[at].k : ''));
  };
  const draw = () => {
    const point = (cell, at) => ({
      x: values[at][across.value], y: values[at][up.value], name: `${cell.method}, k = ${cell.k}`, short: cell.method + (cell.k ? ', k ' + cell.k : ''), kind: methods.indexOf(cell.method), chosen: at === chosenAt, choose: () => choose(at, true),
    });
    picture.replaceChildren(front(cells.map(point), worded(across.value), worded(up.value)));
    const focused = document.activeElement && document.activeElement.id;
    const row = (cell, at) => {
      const radio = el('input', { type: 'radio', name: 'cell', id: 'cell-' + at, onchange: () => choose(at, true) });
      radio.checked = at === chosenAt;
      return [el('label', { for: 'cell-' + at }, radio, cell.method), cell.k === null ? '–' : String(cell.k), ...[across, up].map((select) => values[at][select.value].toLocaleString('en', { maximumSignificantDigits: 3 }))];
    };
    list.replaceChildren(...table(['Method', 'k', worded(across.value), worded(up.value)], cells.map(row), [1, 2, 3]));
    const again = focused && focused.startsWith('cell-') && by(focused);
    if (again) again.focus();
  };
  draw();
  const recommended = recommendation ? el('div', null, el('p', { class: 'lead' }, `Recommended: ${recommendation.method} with k = ${recommendation.k}`), el('p', null, recommendation.reason)) : el('p', null, 'The numbers recommend none of them.');
  const whole = el('a', { href: `/api/runs/${state.run}/comparison.html`, target: '_blank', rel: 'noopener' }, 'The whole comparison');
  by('comparison').replaceChildren(recommended, el('p', { class: 'note' }, 'The nearer to the lower left corner, the better. Choose one to protect with it.'), el('div', { class: 'grid' }, acrossField, upField), picture, el('div', { class: 'scroll' }, list), el('p', null, whole));
  by('comparison').hidden = false;
  say(recommendation ? `Compared. Recommended: ${recommendation.method} with k = ${recommendation.k}.` : 'Compared.');
}

// ---- 4. result

const said = { holds: 'holds', fails: 'does NOT hold', unchecked: 'not checked', partly: 'partly checked' };

function showResult(state) {
  const { certificate, attacks } = state.result;
  by('no-result').hidden = true;
  by('has-result').hidden = false;
  const claims = certificate.claims || [];
  const holds = claims.every((claim) => claim.verdict === 'holds');
  const kept = certificate.output;
  const above = (attacks || []).some((attack) => attack.verdict === 'above');
  by('verdict').className = 'lead ' + (claims.length && holds && !above ? 'good' : 'bad');
  const persons = counted(kept.persons, kindOf(certificate.input.kind).person);
  by('verdict').textContent = !claims.length
    ? `${persons} are in the release. It promises nothing.`
    : `${persons} are in the release, and ${holds ? 'it keeps what it promises: checked on its very bytes.' : 'not everything could be checked.'}` + (above ? ' But an attack achieves more than was promised: look at it before you publish.' : '');
  by('claims').replaceChildren(
    ...claims.map((claim) => el('li', null, el('strong', null, claim.model), parametersOf(claim) ? ' (' + parametersOf(claim) + ')' : '', ': ' + (said[claim.verdict] || claim.verdict))),
    ...state.notes.map((note) => el('li', { class: 'note' }, note)),
  );
  const base = '/api/runs/' + state.run;
  by('download').href = base + '/release.zip';
  by('download').setAttribute('download', state.name + '.zip');
  by('key-download').hidden = !state.key;
  by('key-again').hidden = !state.key;
  by('save').hidden = !known.catalogue.folder;
  by('save-name').value = state.name;
  by('report').src = base + '/report.html';
  by('report-alone').href = base + '/report.html';
  by('certificate').textContent = visible(JSON.stringify(certificate, null, 2));
  const knows = (attack) => {
    const { p, with: more } = attack.knowledge || {};
    return attack.name + (p ? ', knowing ' + p : '') + (more && more.length ? ' with ' + more.join(' and ') : '');
  };
  const rate = (share) => (Number.isFinite(share) ? percent(share) : '–');
  const row = (attack) => [knows(attack), rate((attack.unprotected || {}).rate), rate(attack.rate), rate(attack.bound), attack.verdict === 'above' ? el('strong', { class: 'bad' }, 'more than promised') : attack.verdict === 'below' ? 'kept' : 'no bound'];
  by('attacks').replaceChildren(...table(['Attack', 'before', 'after', 'at most', 'verdict'], (attacks || []).map(row), [1, 2, 3]));
  show(state.shown);
}

async function save() {
  allRight(by('result'));
  try {
    const { saved } = await post(`/api/runs/${known.result.run}/save`, { name: by('save-name').value });
    say('Saved as ' + saved);
    await listFolder();
  } catch (error) {
    sayWrong(error, by('result'), by('result-wrong'));
  }
}

async function downloadKey() {
  allRight(by('result'));
  try {
    const blob = await take(`/api/runs/${known.result.run}/key`);
    const address = URL.createObjectURL(blob);
    const link = el('a', { href: address, download: known.result.name + '-key.csv' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    by('key-download').hidden = true;
    by('key-again').textContent = 'The key was given to you, and is gone from here.';
    say('The key was given to you, and is gone from here.');
    by('download').focus();
  } catch (error) {
    sayWrong(error, by('result'), by('result-wrong'));
  }
}

function listChecks() {
  const before = by('check-file').value;
  const files = [...known.files.map((file) => [file.file, file.name]), ...known.releases.map((state) => [state.run, state.name])];
  by('check-file').replaceChildren(...files.map(([handle, name]) => el('option', { value: handle }, name)));
  if (files.some(([handle]) => handle === before)) by('check-file').value = before;
  else if (known.result) by('check-file').value = known.result.run;
  by('check-now').disabled = files.length === 0;
}

async function check() {
  allRight(by('result'));
  by('checked').replaceChildren();
  const keys = {};
  if (by('check-model').value) {
    keys.model = by('check-model').value;
    keys.k = by('check-k').value;
  }
  try {
    const state = await doing('check', 'check', { file: by('check-file').value, keys }, { title: 'Checking', place: by('check-work') });
    if (!state) return;
    const { verdict, claims } = state.result;
    const words = { holds: 'It holds.', fails: 'It does NOT hold.', partly: 'Nothing fails, but not everything could be checked.', 'nothing claimed': 'It claims nothing.' };
    const one = (claim) => el('li', null, el('strong', null, claim.model), parametersOf(claim) ? ' (' + parametersOf(claim) + ')' : '', ': ' + (said[claim.verdict] || claim.verdict), Object.keys(claim.achieved || {}).length ? ', achieved ' + parametersOf({ parameters: claim.achieved }) : '');
    by('checked').replaceChildren(
      el('p', { class: 'lead ' + (verdict === 'holds' ? 'good' : 'bad') }, words[verdict] || verdict),
      el('ul', null, ...(claims || []).map(one), ...state.notes.map((note) => el('li', { class: 'note' }, note))),
    );
    say(words[verdict] || verdict);
  } catch (error) {
    sayWrong(error, by('result'), by('check-wrong'));
  }
}

// ---- everything begins here

async function quit() {
  await post('/api/quit', {}).catch(() => null);
  document.querySelector('main').replaceChildren(el('h1', { tabindex: '-1' }, 'The page has ended'), el('p', null, 'Everything in it is gone from this machine, but for what you saved or downloaded. You can close this tab.'));
  for (const button of document.querySelectorAll('header button, footer button')) button.disabled = true;
  show('throng serve');
  document.querySelector('h1').focus();
  say('The page has ended.');
}

async function copy() {
  try {
    await navigator.clipboard.writeText(by('shown').textContent);
    say('Copied.');
  } catch {
    const range = document.createRange();
    range.selectNodeContents(by('shown'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    say('Selected: copy it with your keyboard.');
  }
}

/** Takes up what an earlier tab left: a closed tab does not stop a run. */
async function takeUp() {
  for (const { run: id, shown } of await get('/api/runs')) {
    const state = await get('/api/runs/' + id);
    if (state.state === 'done' && state.release) {
      known.releases.push(state);
      known.result = state;
      showResult(state);
    } else if (state.state === 'running' && shown.startsWith('throng protect ') && !shown.includes(' --dry-run')) {
      const hear = working(by('protect-work'), 'Protecting', () => remove('/api/runs/' + id));
      follow(id, hear).then((over) => {
        by('protect-work').hidden = true;
        if (!over.release) return;
        known.releases.push(over);
        known.result = over;
        showResult(over);
        say('A run that went on is done: see the result.');
      }, () => {
        by('protect-work').hidden = true;
      });
    }
  }
}

async function begin() {
  for (const button of document.querySelectorAll('[data-step]')) button.addEventListener('click', () => go(button.dataset.step));
  by('pick').addEventListener('change', () => by('pick').files.length && sendFile(by('pick').files[0]));
  const drop = by('drop');
  for (const [name, isOver] of [['dragover', true], ['dragleave', false], ['drop', false]]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle('over', isOver);
      if (name === 'drop' && event.dataTransfer.files.length) sendFile(event.dataTransfer.files[0]);
    });
  }
  by('make-up').addEventListener('click', () => takeFile({ made_up: by('made-up').value }));
  by('kind').addEventListener('change', () => {
    known.columns = {};
    known.kind = by('kind').value || null;
    if (known.file) look();
  });
  by('look-again').addEventListener('click', lookAgain);
  by('reading').addEventListener('change', () => {
    by('to-protect').disabled = true;
    say('Look again, so that this counts.');
    by('roles').hidden = false;
  });
  by('to-protect').addEventListener('click', () => go('protect'));
  by('method').addEventListener('change', () => {
    showMethod();
    plan();
  });
  for (const id of ['k', 'parameters', 'others', 'with-key']) by(id).addEventListener('input', plan);
  by('protect-now').addEventListener('click', protect);
  by('compare').addEventListener('click', compare);
  by('save-now').addEventListener('click', save);
  by('key-download').addEventListener('click', downloadKey);
  by('check-now').addEventListener('click', check);
  by('copy').addEventListener('click', copy);
  by('quit').addEventListener('click', quit);
  known.catalogue = await get('/api/catalogue');
  by('largest').textContent = bytes(known.catalogue.largest);
  by('made-up').replaceChildren(...known.catalogue.kinds.filter((kind) => kind.made_up).map((kind) => el('option', { value: kind.name }, kind.name)));
  by('kind').replaceChildren(el('option', { value: '' }, 'find out'), ...known.catalogue.kinds.map((kind) => el('option', { value: kind.name }, kind.name)));
  const models = [...new Set(known.catalogue.models.map((card) => card.name))];
  by('check-model').replaceChildren(el('option', { value: '' }, 'what it claims itself, or the usual one'), ...models.map((name) => el('option', { value: name }, name)));
  openSteps();
  await Promise.all([listFolder(), listFiles(), takeUp()]);
  listChecks();
  document.body.dataset.ready = 'true';
}

begin().catch((error) => sayWrong(error, by('choose'), by('choose-wrong')));
