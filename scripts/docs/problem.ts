// What check-docs says about a page: where, and what is wrong there.

export interface Problem {
  path: string;
  line: number;
  message: string;
}
