import { test } from '@jest/globals';
import { parseTaskFile } from '../../src/core/parse-task-file.ts';
import { printProblems } from '../../src/core/problem.ts';
const show=(f:string,t:string)=>{const r=parseTaskFile(f,t);console.log(JSON.stringify(r.tasks,null,1)+'\n'+JSON.stringify(r.milestones)+'\n'+printProblems(r.problems)+'\n'+r.problems.map(p=>p.task??p.wholeFile).join());};
test('x',()=>{
show('tasks/a.yml','title: Hello\ndepend_on: x\nstatus: done\npriority: urgnt\nmax_attempts: lots\nagent: claude\nafter: 007\nauto_review: yes\ndescription: hi\ntitle: again\n<<: {a: 1}\nallow: [/x, ok]\nbranch: a..b\nacceptance_criteria: {a: 1}\nmilestone: {id: M1, nam: x}\nprompt: a\ncontent: b\n');
show('tasks/b.yml','group: g\nmilestone: {id: M1, name: First}\ndefaults:\n  max_turns: 5\n  priority: high\n  bugdet: 5\ntasks:\n  - id: 1e3\n    title: no\n    depends_on: [no, 007]\n    based_on: x\n  - title: Nameless Thing\n  - id: c\n    prompt: |\n      # Do this\n      and that\n    title:\n    id: d\n  - foo\n  - id: ../x\n');
show('tasks/c d.yml','title: '+'x'.repeat(90));
show('tasks/e.yml','- a');
show('tasks/f.yml','title: a: b');
show('tasks/g.yml','# nothing\n');
show('tasks/g.yml','title: a\n---\ntitle: b\n');
show('tasks/g.yml','tasks:\n');
show('tasks/g.yml','type: plan\n');
});
