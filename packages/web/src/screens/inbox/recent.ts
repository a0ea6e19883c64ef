// What was asked lately, whatever became of it.
import { client } from '../../connection/client.ts';
import { keys } from '../../server/keys.ts';

const most = 50;

export const recentApprovals = {
  queryKey: [...keys.approvals, 'recent'],
  queryFn: () => client.approvals.list({ limit: most }),
};
export const recentQuestions = {
  queryKey: [...keys.questions, 'recent'],
  queryFn: () => client.questions.list({ limit: most }),
};
