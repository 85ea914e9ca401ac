package io.weir.server.service;

import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.http.Router;

/** Checks over HTTP. */
public final class ServiceApi {
  public ServiceApi(Arbiter arbiter, Settings settings) {}

  /** Adds its routes. */
  public void addTo(Router router) {}
}
