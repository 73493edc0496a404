// Package inputqueued simulates routers with input queues, as the faster of the two router models:
// requests, starts, and trains, which are consecutive packets processed together. The code per
// packet is kept short, because most of a run's time is spent here.
package inputqueued
