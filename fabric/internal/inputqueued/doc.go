// Package inputqueued simulates routers with input queues, the fast one of the two models: requests,
// starts, and trains of packets that follow one another. What it does for a packet is kept short, since
// most of a run's time goes here.
package inputqueued
