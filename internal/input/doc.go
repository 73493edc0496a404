// Package input opens every file that Fabricast reads on behalf of a user, and limits what is read:
// only regular files, each of at most the size of its kind. A test keeps other packages from
// opening files themselves.
//
// Devices and pipes are refused, because they have no known end, and reading one may block for
// ever. The name "-" stands for standard input, which may be a pipe, for kinds that allow it. An
// interruption does not end a read; callers that must respond wait for it with package ctxwait.
package input
