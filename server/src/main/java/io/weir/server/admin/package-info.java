/**
 * The admin port
 *
 * <p>metrics, health, rules and keys.:Calls http and the decision path.
 */
@NullMarked
package io.weir.server.admin;

import org.jspecify.annotations.NullMarked;
