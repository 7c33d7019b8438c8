// Package machines proves what a deployment of many machines promises. It has no code; its tests
// run three servers behind HAProxy, on a PostgreSQL with a standby and on object storage, and take
// parts away while clients use them. They write the tables of docs/scale.md.
package machines
