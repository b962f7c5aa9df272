// Package cases runs the case bank: repositories and session stores in odd states, each a script in bank/ with its public
// source, forked (or listed) with the real program and judged by package compare, package snapshot and the case's own
// check. README.md says how to read and write a case.
package cases
