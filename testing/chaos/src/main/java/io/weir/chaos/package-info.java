/**
 * A test cluster of nodes, Redis servers and Sentinels, each in its own process; a seeded schedule
 * of faults; clients that send requests throughout; and an auditor that checks all decisions.
 *
 * <p>Uses the store in Redis, as an application would, and the rig. Used only by its tests.
 */
@NullMarked
package io.weir.chaos;

import org.jspecify.annotations.NullMarked;
