import { expect, test } from '@jest/globals';
import { questionIn } from '../../src/core/spool/question.ts';

test.each([
  'Which database should I use, PostgreSQL or SQLite?',
  'I looked at the code. There are two login routes.\n\nWhich of them do you mean?',
  'Should I keep the old route? I would recommend it.',
  'Before I start, I need a decision from you: keep the old API or break it.',
  "The task is ambiguous. Please clarify:\n\n1. Is the token kept in a cookie?\n2. How long does it live?\n\nI'll start when I know.",
  'I cannot proceed without credentials for the payment service.',
  "I can't implement this until somebody chooses a licence.",
  'Here is my plan:\n\n- add a table\n- add a route\n\nWould you like me to proceed?',
  'Let me know which of the two you prefer.',
  'Two ways are possible:\n\n```ts\nconst a = 1;\n```\n\nTell me whether to keep the constant.',
  '**Question:** what is the limit for uploads',
  'Is it all right to drop support for Node 18?',
  'I am waiting for your confirmation.',
  'Clarification is needed on the meaning of "fast".',
  'Welche Datenbank soll ich nehmen?',
  'どのデータベースを使いますか？',
  'The file already exists, with another content. Which of the two is right?',
  'Do you want me to overwrite the configuration? It holds settings made by hand.',
  'Could you share the design file?',
  'To do this safely I would need more information about the schema.',
  'I have two options:\n\nA) rewrite the parser\nB) patch it\n\nWhat should I do?\n\n> the task says "mend it"\n',
])('a question is a question: %j', (answer) => {
  const question = questionIn(answer);
  expect(question).not.toBeNull();
  // Word for word, to the end.
  expect(answer.trim().endsWith(question ?? '')).toBe(true);
});

test.each([
  '',
  'Done.',
  'Nothing to do: the endpoint is there already, and its tests pass.',
  'The feature is already implemented. Is there anything else you would like me to do?',
  'No changes are needed. Let me know if you have any questions.',
  'I have added the route and its test. Would you like me to add documentation too?',
  'I implemented the login and ran the tests; all pass.',
  'All requirements are already satisfied in src/login.ts. Should I also refactor it?',
  'What changed? Nothing: the code was right.',
  '## What was done?\n\nThe tests were run, and pass.',
  'The test is named "does it work?", and it passes.',
  '> Which database should I use?\n\nThe comment above is answered in docs/db.md.',
  '```\nWhich database? [y/N]\n```\nThe prompt above is what the program prints.',
  'I ran the linter. It reports nothing.',
  'The route accepts `?page=2` as before.',
  'Everything is complete. Feel free to reach out!',
  'The task asks for a decision table. It is in docs/decisions.md already.',
  'I checked whether the users table needs an index, and it does not.',
  'Do users see the old page? They do not: the route redirects since March.',
])('and what asks nothing is none: %j', (answer) => {
  expect(questionIn(answer)).toBeNull();
});

test('the beginning of a long answer is left out, its question is not', () => {
  const report = Array.from({ length: 400 }, (_, n) => `Looked at file ${n}. It is fine.`).join('\n\n');
  expect(questionIn(`What is this?\n\n${report}\n\nWhich one is meant?\n\n- the first\n- the last\n`)).toBe(
    'Which one is meant?\n\n- the first\n- the last',
  );
});
