/**
 * The tasks that everyone is measured with. Components of 50: five blocks, one after the other, each a diamond
 * (1, then 3, then 1) and a chain of 5. In each component the first 12 are done and 2 are ready; about 600 bytes
 * of text a task.
 */
const componentSize = 50;
const blockSize = 10;
const doneInComponent = 12;

export function graph(count) {
  return Array.from({ length: count }, (_, number) => {
    const first = number - (number % componentSize);
    const at = number - first;
    return {
      number,
      title: `Part ${at + 1} of component ${first / componentSize + 1}: refactor the middleware`,
      text: textOf(number),
      after: dependencies(at).map((other) => first + other),
      isDone: at < doneInComponent,
    };
  });
}

function dependencies(at) {
  const block = at - (at % blockSize);
  const place = at - block;
  if (place === 0) return block === 0 ? [] : [block - 1];
  if (place <= 3) return [block];
  if (place === 4) return [block + 1, block + 2, block + 3];
  return [at - 1];
}

const sentences = [
  'Refactor the middleware to use tokens instead of sessions.',
  'Keep the old route as an alias until the next release.',
  'Write tests for expiry, for refresh and for a clock that goes wrong.',
  'The error must say what was expected, what was found and what to do next.',
  'Measure before and after, and put both numbers into the description.',
  'Do not touch the public interface of the module.',
];

function textOf(number) {
  let text = `Task ${number}.`;
  for (let n = number; text.length < 540; n++) text += ` ${sentences[n % sentences.length]}`;
  return text;
}
