/**
 * Real programs for tests, each in its own process, and ways to disturb them: Redis alone, with
 * replicas and Sentinels, and as a cluster; certificates; a faulty proxy; nginx, HAProxy and Caddy,
 * and any other program.
 *
 * <p>Uses none of Weir's code and no client library, so that the code under test does not check
 * itself.
 */
package io.weir.rig;
