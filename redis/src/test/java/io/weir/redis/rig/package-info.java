/**
 * Real Redis processes for the tests: single, with replicas and Sentinels, as a cluster; and the
 * means to hurt them.
 *
 * <p>Calls nothing of ours, and no client library: what is tested must not test itself.
 */
package io.weir.redis.rig;
