/** Tasks as people write them, with the level that a person gives them. Change the words, not these. */
import type { ScoreLevel } from '../../src/core/sizing/score.ts';
import type { Task } from '../../src/core/task/task.ts';

export interface Row {
  level: ScoreLevel;
  title: string;
  content?: string;
  /** Separated by spaces. */
  create?: string;
  modify?: string;
  /** Separated by semicolons. */
  criteria?: string;
}

const list = (text: string | undefined, by: string) =>
  text === undefined ? [] : text.split(by).map((part) => part.trim());

export function taskOf(row: Row, id = 'T1'): Task {
  return {
    id,
    type: 'implement',
    title: row.title,
    content: row.content ?? row.title,
    files_to_create: list(row.create, ' '),
    files_to_modify: list(row.modify, ' '),
    acceptance_criteria: list(row.criteria, ';'),
  };
}

/** The spec's own example: 3.0 + 2.0 + 2.5 + 1.0 = 8.5. */
export const specExample: Row = {
  level: 'HIGH',
  title: 'Retry failed payments in the background',
  content:
    'A failed charge is tried again by an async job, at a good hour in the time zone of the customer. Show what happened on the ' +
    'account page. Ideally the delays can be changed, and we handle declined cards, expired cards etc.',
  create: 'src/db/retry-attempts.ts src/services/retry-scheduler.ts src/ui/retry-history.tsx',
  modify: 'src/db/payments.ts src/services/payment-service.ts src/ui/account-page.tsx',
  criteria:
    'Every attempt is stored with its time and its result;' +
    'A charge that was declined for good is rejected and never tried again;' +
    'The payments table has an index on the next attempt;' +
    'The customer sees the history on the account page',
};

export const corpus: readonly Row[] = [
  specExample,
  // Small things.
  { level: 'LOW', title: 'Fix typo in README' },
  {
    level: 'LOW',
    title: 'Correct the year in the licence header',
    modify: 'LICENSE',
    criteria: 'The header says 2026',
  },
  {
    level: 'LOW',
    title: 'Bump eslint to 9.4',
    modify: 'package.json package-lock.json',
    criteria: 'npm run lint passes',
  },
  {
    level: 'LOW',
    title: 'Rename getCwd to currentDirectory',
    modify: 'src/paths.ts src/main.ts',
    criteria: 'No caller of the old name is left',
  },
  {
    level: 'LOW',
    title: 'Add a --version flag',
    modify: 'src/cli.ts',
    criteria: 'prints the version of package.json; exits 0',
  },
  {
    level: 'LOW',
    title: 'Wrong plural in the empty cart message',
    content: 'It says "1 items". Use the plural rule.',
    modify: 'src/ui/cart.tsx',
    criteria: '1 item, 2 items, 0 items',
  },
  {
    level: 'LOW',
    title: 'Trim whitespace of emails on sign-up',
    modify: 'src/services/signup.ts',
    criteria: 'Leading and trailing spaces are removed; the stored email is in lower case',
  },
  {
    level: 'LOW',
    title: 'Return 404 instead of 500 for unknown orders',
    modify: 'src/api/orders.ts',
    criteria: 'GET /orders/none answers 404 with a message',
  },
  {
    level: 'LOW',
    title: 'Log the request id',
    modify: 'src/middleware/logging.ts',
    criteria: 'Every line has the id',
  },
  { level: 'LOW', title: 'Add an .editorconfig', create: '.editorconfig', criteria: 'Two spaces, LF' },
  {
    level: 'LOW',
    title: 'Null pointer when the profile has no avatar',
    content: 'Stack trace:\n```\nat async Parser.parse (distributed.js:1)\n```\nUse the default picture.',
    modify: 'src/ui/avatar.tsx',
    criteria: 'No avatar shows the default picture',
  },
  {
    level: 'LOW',
    title: 'Make the timeout of the health check configurable',
    modify: 'src/health.ts config/default.yml',
    criteria: 'HEALTH_TIMEOUT_MS is used; 5000 when unset',
  },
  {
    level: 'LOW',
    title: 'Add index on orders.customer_id',
    create: 'db/migrations/20260101_orders_index.sql',
    criteria: 'The index exists; the script can be run twice',
  },
  {
    level: 'LOW',
    title: 'Write unit tests for the slug function',
    modify: 'test/slug.test.ts',
    criteria: 'Umlauts; empty input; 200 characters',
  },
  {
    level: 'LOW',
    title: 'Document the environment variables',
    create: 'docs/environment.md',
    modify: 'README.md',
    criteria: 'Every variable that the code reads is listed',
  },
  {
    level: 'LOW',
    title: 'Remove the unused feature flag new-header',
    modify: 'src/flags.ts src/ui/header.tsx',
    criteria: 'grep finds no use',
  },
  {
    level: 'LOW',
    title: 'Sort the country list by name',
    modify: 'src/ui/country-select.tsx',
    criteria: 'Å sorts as in Swedish',
  },
  {
    level: 'LOW',
    title: 'Cache the parsed config for one minute',
    content: 'Parsing takes 40 ms on each request. Keep the result.',
    modify: 'src/config/load.ts',
    criteria: 'Read once a minute; a changed file is seen after that',
  },
  {
    level: 'LOW',
    title: 'Validate the phone number on the server',
    create: 'src/services/phone.ts',
    modify: 'src/services/signup.ts',
    criteria: 'E.164 only; a bad number is rejected with a field error',
  },
  {
    level: 'LOW',
    title: 'Dark mode for the settings page',
    modify: 'src/ui/settings.css src/ui/settings.tsx',
    criteria: 'Follows the system; contrast at least 4.5',
  },
  {
    level: 'LOW',
    title: 'Retry the upload once on a network error',
    modify: 'src/upload.ts',
    criteria: 'One retry after 2 s; then the error is shown',
  },
  {
    level: 'LOW',
    title: 'Show the build number in the footer',
    modify: 'src/ui/footer.tsx build.mjs',
    criteria: 'The footer shows the number of the build',
  },
  { level: 'LOW', title: 'Make it better', content: 'The start page is not nice. Improve it.' },
  {
    level: 'LOW',
    title: 'Upgrade the base image to Node 24',
    modify: 'Dockerfile .github/workflows/ci.yml .nvmrc',
    criteria: 'CI is green; the image starts',
  },
  {
    level: 'LOW',
    title: 'Split the date helpers from utils',
    create: 'src/dates.ts',
    modify: 'src/utils.ts src/report.ts src/invoice.ts',
    criteria: 'utils.ts has no date function',
  },
  // One feature, one or two layers.
  {
    level: 'LOW',
    title: 'Export the customer list as CSV',
    create: 'src/services/csv.ts',
    modify: 'src/api/customers.ts src/ui/customers.tsx',
    criteria: 'UTF-8 with BOM; commas are quoted; 10,000 rows in one file',
  },
  {
    level: 'LOW',
    title: 'Password must have 12 characters',
    modify: 'src/services/password-policy.ts src/ui/signup-form.tsx',
    criteria: 'Shorter ones are rejected on the server; the form says why',
  },
  {
    level: 'LOW',
    title: 'Soft delete for notes',
    create: 'db/migrations/12_deleted_at.sql',
    modify: 'src/models/note.ts src/services/notes.ts',
    criteria: 'deleted_at is set; lists leave deleted notes out',
  },
  {
    level: 'LOW',
    title: 'Add pagination to the orders list',
    content: 'Cursor based, 50 a page. Use the id as the cursor.',
    modify: 'src/models/order.ts src/services/orders.ts src/api/orders.ts src/ui/orders.tsx src/ui/pager.tsx',
    criteria: 'next and previous; the last page has no next; deep links work',
  },
  {
    level: 'MEDIUM',
    title: 'Comments on articles',
    create:
      'db/migrations/9_comments.sql src/models/comment.ts src/services/comments.ts src/api/comments.ts src/ui/comments.tsx',
    modify: 'src/ui/article.tsx',
    criteria: 'Readers who are signed in can comment; newest first; authors can delete their own',
  },
  {
    level: 'MEDIUM',
    title: 'Rate limiting for the public API',
    content: 'Token bucket per key, shared by all instances through Redis with atomic scripts.',
    create: 'src/middleware/rate-limit.ts src/services/bucket.ts',
    modify: 'src/api/server.ts config/default.yml',
    criteria: '429 with Retry-After; limits per key; survives a Redis restart',
  },
  {
    level: 'MEDIUM',
    title: 'Sign in with Google (OAuth)',
    create: 'src/services/google-auth.ts src/api/auth-callback.ts',
    modify: 'src/models/user.ts src/ui/login.tsx config/default.yml',
    criteria:
      'New users get an account; existing ones are linked by verified email; state parameter is checked',
  },
  {
    level: 'MEDIUM',
    title: 'Full-text search for products',
    content: 'Postgres tsvector with ranking. Reindex by trigger.',
    create: 'db/migrations/31_search.sql src/services/search.ts src/api/search.ts',
    modify: 'src/ui/search-box.tsx',
    criteria: 'Stems are found; best match first; 95 % under 100 ms',
  },
  {
    level: 'MEDIUM',
    title: 'Webhooks for order events',
    content: 'Signed with HMAC, retried with growing delays for a day, and idempotent for the receiver.',
    create: 'src/services/webhooks.ts src/models/delivery.ts',
    modify: 'src/services/orders.ts',
    criteria:
      'Signature verification example in the docs; a dead receiver is switched off after a day; each delivery is logged',
  },
  {
    level: 'LOW',
    title: 'Parse durations such as 1h30m',
    content: 'A small parser for the config, no dependency.',
    create: 'src/duration.ts',
    modify: 'src/config/load.ts',
    criteria: 'h, m, s; an error names the position',
  },
  {
    level: 'MEDIUM',
    title: 'Replace the hand-written SQL lexer',
    content:
      'A parser with a grammar, error recovery and recursive expressions. Memory layout matters: tokens are kept in one typed array.',
    create: 'src/sql/lexer.ts src/sql/parser.ts src/sql/tokens.ts',
    modify: 'src/sql/index.ts',
    criteria: 'All old tests pass; errors carry line and column; 20 MB/s',
  },
  {
    level: 'MEDIUM',
    title: 'Clean up the whole app',
    content:
      'Refactor everything that looks old, improve names, fix various bugs, maybe switch to hooks, add tests where needed, and so on.',
    modify: 'src/app.tsx src/ui/list.tsx src/ui/detail.tsx src/services/api.ts',
  },
  {
    level: 'LOW',
    title: 'Investigate why the build is slow',
    content: 'Not sure what it is. Maybe the cache. Find out and fix.',
  },
  {
    level: 'MEDIUM',
    title: 'Make the importer robust',
    content:
      'It should properly handle all kinds of files, be fast enough and somehow retry when needed. Various customers complained.',
    modify: 'src/services/importer.ts src/services/reader.ts src/models/import.ts',
  },
  {
    level: 'LOW',
    title: 'Close a memory leak in the event bus',
    content: 'Listeners are never removed. Heap grows 2 MB per minute.',
    modify: 'src/events.ts',
    criteria: 'Heap is flat over an hour; a test counts listeners',
  },
  {
    level: 'LOW',
    title: 'Fix a race condition in the job queue',
    content: 'Two workers can take the same job. Use SELECT … FOR UPDATE SKIP LOCKED in a transaction.',
    modify: 'src/jobs/queue.ts',
    criteria: 'A test with 50 workers sees each job once',
  },
  {
    level: 'MEDIUM',
    title: 'Upload large files in parts',
    content: 'Resumable and parallel, with a checksum per part. The state machine is in the client.',
    create: 'src/client/upload.ts src/client/parts.ts src/api/uploads.ts src/services/assemble.ts',
    modify: 'src/ui/dropzone.tsx',
    criteria: 'A lost connection goes on where it was; 10 GB; wrong checksums are sent again',
  },
  {
    level: 'MEDIUM',
    title: 'Time zones in the calendar',
    content:
      'Events keep the time zone they were made in. Recurring ones keep their local time over daylight saving.',
    modify:
      'src/models/event.ts src/services/recurrence.ts src/services/calendar.ts src/ui/calendar.tsx src/ui/event-form.tsx',
    criteria: 'A meeting at 9:00 in Berlin stays at 9:00; guests see their own time',
  },
  {
    level: 'LOW',
    title: 'Translate the settings page into French',
    create: 'locales/fr/settings.json',
    modify: 'locales/index.ts src/ui/settings.tsx',
    criteria: 'No English text left on the page',
  },
  {
    level: 'MEDIUM',
    title: 'Rename customer to client in all modules',
    modify:
      'src/a/customer.ts src/b/customer.ts src/c/customer.ts src/d/customer.ts src/e/customer.ts src/f/customer.ts src/g/customer.ts src/h/customer.ts src/i/customer.ts src/k/customer.ts',
    criteria: 'grep finds no customer',
  },
  {
    level: 'LOW',
    title: 'Convert six scripts to ES modules',
    modify: 'scripts/a.js scripts/b.js scripts/c.js scripts/d.js scripts/e.js scripts/f.js',
    criteria: 'All run with node 24',
  },
  {
    level: 'MEDIUM',
    title: 'Role based permissions for projects',
    content: 'Owner, editor, viewer. Checked in one place.',
    create: 'src/models/role.ts src/services/access.ts',
    modify: 'src/api/projects.ts src/api/files.ts src/ui/project-settings.tsx src/ui/members.tsx',
    criteria: 'Viewers cannot write; the last owner cannot leave; a test per route',
  },
  {
    level: 'MEDIUM',
    title: 'Send invoices by email',
    content: 'PDF with tax per line, in the currency of the customer.',
    create: 'src/services/invoice-pdf.ts src/services/invoice-mail.ts src/models/invoice.ts',
    modify: 'src/jobs/monthly.ts src/ui/billing.tsx',
    criteria: 'Rounding per line; the sum is the sum of the lines; sent once',
  },
  {
    level: 'LOW',
    title: 'Health endpoint',
    create: 'src/api/health.ts',
    modify: 'src/api/server.ts',
    criteria: 'GET /health answers 200; 503 when the database is away',
  },
  {
    level: 'MEDIUM',
    title: 'Backfill the search index',
    content:
      'A migration in batches with zero downtime; resumable; throughput is bounded so that the site stays fast.',
    create: 'src/jobs/backfill.ts db/migrations/40_search.sql',
    modify: 'src/services/search.ts src/models/product.ts',
    criteria: 'Can be stopped and goes on; all products are in the index; load stays under 50 %',
  },
  {
    level: 'MEDIUM',
    title: 'Split the monolithic settings component',
    content: 'Refactor into one component a section. No visible change.',
    create:
      'src/ui/settings/profile.tsx src/ui/settings/mail.tsx src/ui/settings/team.tsx src/ui/settings/billing.tsx',
    modify: 'src/ui/settings.tsx src/ui/app.tsx src/routes/settings.ts src/ui/menu.tsx',
    criteria: 'Snapshots are the same; no section imports another',
  },
  // Large.
  {
    level: 'HIGH',
    title: 'Collaborative editing of documents',
    content: 'CRDT over websockets, with presence. Concurrent edits merge; offline edits are sent later.',
    create: 'src/services/crdt.ts src/api/socket.ts src/ui/presence.tsx src/models/operation.ts',
    modify: 'src/models/document.ts src/ui/editor.tsx src/services/documents.ts',
    criteria: 'Two people type at once and see the same text; a reload keeps everything; presence is shown',
  },
  {
    level: 'HIGH',
    title: 'Subscriptions with proration',
    content:
      'Stripe subscriptions with webhooks; upgrades in the middle of a month are prorated; every write is idempotent and in a transaction; taxes and currencies as Stripe says.',
    create:
      'src/models/subscription.ts src/services/subscriptions.ts src/services/proration.ts src/api/stripe-webhook.ts src/ui/plans.tsx',
    modify: 'src/models/account.ts src/ui/billing.tsx config/default.yml',
    criteria: 'Upgrade, downgrade, cancel; a doubled webhook changes nothing; the next invoice is right',
  },
  {
    level: 'HIGH',
    title: 'Multi-tenant isolation',
    content:
      'Every query is scoped to a tenant. Refactor the repositories, migrate existing rows, check permissions in one place, and keep performance.',
    create: 'db/migrations/50_tenant.sql src/services/tenant.ts',
    modify:
      'src/models/user.ts src/models/order.ts src/models/file.ts src/services/orders.ts src/services/files.ts src/api/context.ts src/api/orders.ts src/api/files.ts src/ui/switcher.tsx',
    criteria: 'No query without tenant; a test tries to read across; old rows belong to the first tenant',
  },
  {
    level: 'HIGH',
    title: 'Notification centre',
    content:
      'In-app, mail and push notifications in real time, with preferences etc. Ideally digests as needed. Integrate with the existing queue.',
    create:
      'src/models/notification.ts src/services/notify.ts src/services/digest.ts src/api/notifications.ts src/ui/bell.tsx src/ui/preferences.tsx',
    modify: 'src/services/comments.ts src/ui/header.tsx',
    criteria: 'Unread count; preferences per kind',
  },
  {
    level: 'HIGH',
    title: 'New report builder',
    content:
      'Users build reports from any table: flexible filters, grouping, charts and more. Needs a query parser, caching and permissions. Should be intuitive.',
    create:
      'src/services/report-query.ts src/services/report-parser.ts src/models/report.ts src/api/reports.ts src/ui/report-builder.tsx src/ui/chart.tsx',
    modify: 'src/ui/menu.tsx src/api/server.ts',
  },
  {
    level: 'HIGH',
    title: 'Event sourcing for orders',
    content:
      'Rewrite orders as an event log with snapshots. Replays are deterministic, writes use optimistic locking in a transaction, projections are eventually consistent, old orders are migrated.',
    create:
      'src/models/order-event.ts src/services/order-aggregate.ts src/services/projector.ts db/migrations/60_events.sql',
    modify: 'src/services/orders.ts src/api/orders.ts src/jobs/nightly.ts',
    criteria: 'Replay gives the same state; the old API answers the same; a rebuild takes under an hour',
  },
  {
    level: 'HIGH',
    title: 'Recommendation engine for the shop',
    content:
      'Embeddings with vector search, trained nightly, with a heuristic ranking as a fallback. Latency under 50 ms by caching. Possibly A/B tests, not sure how yet.',
    create:
      'src/services/embeddings.ts src/services/recommend.ts src/models/vector.ts src/jobs/train.ts src/api/recommendations.ts',
    modify: 'src/ui/product.tsx src/ui/home.tsx',
    criteria: 'Six products a page; never one that was bought',
  },
  {
    level: 'HIGH',
    title: 'Encrypt customer files at rest',
    content:
      'Envelope encryption with key rotation per tenant; migrate all existing files in the background; streaming so that memory stays flat; permissions are checked before a key is used.',
    create: 'src/services/keys.ts src/services/encrypt-stream.ts src/jobs/reencrypt.ts src/models/key.ts',
    modify: 'src/services/files.ts src/models/file.ts src/api/files.ts src/ui/file-settings.tsx',
    criteria:
      'No file is readable on disk; rotation takes a day; a deleted tenant key makes its files unreadable',
  },
  // Too large.
  {
    level: 'CRITICAL',
    title: 'Rewrite the backend',
    content:
      'Move everything to a distributed, event sourced architecture with async workers, websockets, OAuth and Stripe payments. Should be scalable, and backwards compatible where appropriate. Improve performance, maybe add a plugin system, etc.',
    modify:
      'src/models/user.ts src/models/order.ts src/models/file.ts src/services/users.ts src/services/orders.ts src/services/files.ts src/api/users.ts src/api/orders.ts src/api/files.ts src/ui/app.tsx src/jobs/nightly.ts src/config.ts',
  },
  {
    level: 'CRITICAL',
    title: 'Offline mode for the whole product',
    content:
      'Everything works without a network: local database, sync with conflict resolution (CRDT or something like it, to be decided), encrypted storage, background upload in parallel, migrations of old clients. Robust and fast enough.',
    create:
      'src/models/local-store.ts src/models/operation.ts src/services/sync.ts src/services/conflicts.ts src/services/crypto.ts src/services/upload-queue.ts src/api/sync.ts src/ui/offline-banner.tsx src/ui/conflict-dialog.tsx',
    modify: 'src/models/document.ts src/services/documents.ts src/api/documents.ts src/ui/editor.tsx',
    criteria: 'Works on a train; nothing is lost',
  },
  {
    level: 'CRITICAL',
    title: 'Marketplace',
    content:
      'Sellers list products, buyers pay with Stripe, payouts with tax and currency conversion, reviews, recommendation engine, real time chat, fraud heuristics and so on. Seamless on mobile. Details to be determined; use whatever fits.',
    create:
      'src/models/seller.ts src/models/listing.ts src/models/payout.ts src/services/listings.ts src/services/payouts.ts src/services/fraud.ts src/services/chat.ts src/api/listings.ts src/api/payouts.ts src/api/chat.ts src/ui/listing.tsx src/ui/checkout.tsx src/ui/chat.tsx',
  },
  {
    level: 'CRITICAL',
    title: 'Replace the scheduler with a distributed one',
    content:
      'Leader election, sharded queues, exactly once delivery and crash recovery; a recursive dependency solver decides what runs in parallel. Refactor all jobs. Keep the API backward compatible if possible, handle all edge cases, and migrate stored schedules somehow.',
    create:
      'src/core/leader.ts src/core/shards.ts src/core/solver.ts src/models/lease.ts src/models/schedule.ts db/migrations/70_scheduler.sql',
    modify:
      'src/jobs/runner.ts src/jobs/mail.ts src/jobs/reports.ts src/api/schedules.ts src/ui/schedules.tsx',
    criteria: 'No job runs twice; a killed leader is replaced in 10 s',
  },
];
