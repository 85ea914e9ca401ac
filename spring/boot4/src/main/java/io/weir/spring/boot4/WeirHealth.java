package io.weir.spring.boot4;

import io.weir.node.Node;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * How the store is. It is told, and never makes the application sick: rules say what holds then.
 */
final class WeirHealth implements HealthIndicator {
  private final Node node;

  WeirHealth(Node node) {
    this.node = node;
  }

  @Override
  public Health health() {
    return Health.up().withDetails(StoreDetails.of(node)).build();
  }
}
