// The doors of the server: everything that this page asks of it. Answers are values; what went wrong is thrown as the error of the command.

/** What went wrong, as the commands say it. */
export class Wrong extends Error {
  constructor(error) {
    super(error.message || 'Something went wrong.');
    this.hint = error.hint || '';
    this.errors = (error.errors || []).map((each) => new Wrong(each));
  }
}

const gone = { message: 'The program behind this page has ended. Start it again: throng serve' };

async function answered(asking) {
  let answer;
  try {
    answer = await asking;
  } catch {
    throw new Wrong(gone);
  }
  const text = await answer.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = { error: { message: text.trim() } };
  }
  if (!answer.ok) throw new Wrong(value.error || {});
  return value;
}

export const get = (path) => answered(fetch(path));
export const post = (path, value) => answered(fetch(path, { method: 'POST', body: JSON.stringify(value) }));
export const remove = (path) => answered(fetch(path, { method: 'DELETE' }));

/** Something that is given away once, as a file. */
export async function take(path) {
  const answer = await fetch(path, { method: 'POST', body: '{}' });
  if (!answer.ok) await answered(answer);
  return answer.blob();
}

/** Sends a file, and says how much of it is there. */
export function send(file, onShare) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', '/api/files/' + encodeURIComponent(file.name));
    request.upload.onprogress = (event) => event.lengthComputable && onShare(event.loaded / event.total);
    request.onload = () => {
      let value = {};
      try {
        value = JSON.parse(request.responseText);
      } catch {
        value = { error: { message: request.responseText } };
      }
      if (request.status === 201) resolve(value);
      else reject(new Wrong(value.error || {}));
    };
    request.onerror = () => reject(new Wrong({ message: 'The file did not arrive. Is it still there, and the program still running?' }));
    request.send(file);
  });
}

/** Begins a run. `onState` hears how it stands; the promise is kept when it is over. */
export async function run(command, file, request, onState, onBegun) {
  const begun = await post('/api/runs', { command, file, request });
  if (onBegun) onBegun(begun);
  return follow(begun.run, onState);
}

/** Listens to a run until it is over. */
export function follow(id, onState) {
  return new Promise((resolve, reject) => {
    const source = new EventSource('/api/runs/' + id + '/events');
    const over = (state) => {
      source.close();
      if (state.state === 'failed') reject(new Wrong(state.error || {}));
      else resolve(state);
    };
    source.onmessage = (event) => {
      const state = JSON.parse(event.data);
      onState(state);
      if (!['waiting', 'running'].includes(state.state)) over(state);
    };
    source.onerror = async () => {
      // The browser would try again for ever: whether there is anybody is asked once.
      source.close();
      try {
        const state = await get('/api/runs/' + id);
        onState(state);
        if (['waiting', 'running'].includes(state.state)) resolve(await follow(id, onState));
        else over(state);
      } catch (error) {
        reject(error);
      }
    };
  });
}
