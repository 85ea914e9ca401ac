package io.weir.server.grpc;

/**
 * A gRPC method.
 *
 * @param takes how many messages a call sends
 * @param answer the handler of each message, which responds now or later
 */
public record GrpcMethod(Takes takes, Answer answer) {
  /** How many messages a call sends. */
  public enum Takes {
    /** Exactly one, handled when the request is complete. */
    ONE,
    /** Any number. Each is handled when it arrives, and the call ends when the client ends it. */
    MANY
  }

  /** The handler of a message. */
  @FunctionalInterface
  public interface Answer {
    /**
     * Handles a message.
     *
     * @param message valid until this method returns
     * @throws GrpcException to end the call with its status
     */
    void to(GrpcCall call, ProtoReader message);
  }

  /** A method that takes one message. */
  public static GrpcMethod one(Answer answer) {
    return new GrpcMethod(Takes.ONE, answer);
  }

  /** A method that takes any number of messages. */
  public static GrpcMethod many(Answer answer) {
    return new GrpcMethod(Takes.MANY, answer);
  }
}
