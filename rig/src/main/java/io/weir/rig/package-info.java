/**
 * Real programs for the tests, each in a process of its own, and the means to hurt them: Redis
 * single, with replicas and Sentinels, and as a cluster; certificates; a proxy that breaks; nginx,
 * HAProxy and Caddy, and any other program.
 *
 * <p>Calls nothing of ours, and no client library: what is tested must not test itself.
 */
package io.weir.rig;
