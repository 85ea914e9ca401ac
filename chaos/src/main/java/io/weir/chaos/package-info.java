/**
 * A stage of several nodes, Redis servers and Sentinels, each a process of its own; a seeded
 * schedule of what befalls them; clients that ask all the while; and an auditor who counts what was
 * answered, and believes nobody.
 *
 * <p>Calls the store in Redis, as an application would, and the rig. Nobody calls it but its tests.
 */
@NullMarked
package io.weir.chaos;

import org.jspecify.annotations.NullMarked;
