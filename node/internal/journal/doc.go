// Package journal records the calls of programs and their results, and replays them. In a replay
// (also called feeding) a program runs again and gets the recorded results, which restores its
// state. This serves checkpoints, the optimistic mode, and ranks that move to another process.
package journal
