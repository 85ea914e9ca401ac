package io.weir.spring.boot4;

import io.weir.StoreHealth;
import io.weir.runtime.Node;
import java.util.LinkedHashMap;
import java.util.Map;

/** The health details of a store, shared by all versions of Spring Boot. */
public final class StoreDetails {
  private StoreDetails() {}

  /**
   * The state of the store, which of its parts are unavailable and why, and the number of rules in
   * force.
   */
  public static Map<String, Object> of(Node node) {
    Map<String, Object> details = new LinkedHashMap<>();
    StoreHealth health = node.health();
    details.put("rules", node.rules().rules().size());
    details.put("store", state(health));
    for (StoreHealth.Part part : health.parts()) {
      if (part.state() != StoreHealth.State.UP) {
        details.put(part.name(), part.state() + ": " + part.reason());
      }
    }
    return details;
  }

  private static String state(StoreHealth health) {
    if (health.isWell()) {
      return "up";
    }
    boolean isDown =
        health.parts().stream().allMatch(part -> part.state() == StoreHealth.State.DOWN);
    return isDown ? "down" : "degraded";
  }
}
