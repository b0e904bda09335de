# One image for every service: `docker run --read-only touchline <service>`. Settings come from the environment.
# What is written goes to volumes: views and the embedded broker's data to /data, idle matches to files in /tmp.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Without install scripts: they would only bring a second Node beside that of the image. Node runs no TypeScript of
# packages: what they ship of it are types, sources and tests.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force \
 && find node_modules -type f -regex '.*\.\(map\|[mc]?ts\)' -delete

FROM node:24.21.0-bookworm-slim
# The option of V8 is that of cli/processes.ts.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=8 \
    DATA_DIR=/data \
    LISTEN_HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=9464
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY bin ./bin
COPY cli ./cli
COPY schemas ./schemas
COPY libs ./libs
COPY services ./services
COPY data ./data
# Nothing is installed in a container: no package manager is there.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn* \
  /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && mkdir --mode=0700 /data && chown 1000:1000 /data
# The compiled code of every service, where bin/touchline.js keeps it: a start takes half the time. Node keeps it for one user; it
# belongs to root, so that no process can change what another one runs.
RUN mkdir -p node_modules/.cache/touchline && chown 1000:1000 node_modules/.cache/touchline \
 && for main in services/*/main.ts; do \
      setpriv --reuid=1000 --regid=1000 --clear-groups node bin/touchline.js "$(basename "$(dirname "$main")")" --help > /dev/null || exit 1; \
    done \
 && chown -R root:root node_modules/.cache && chmod -R a+rX node_modules/.cache
# By number: Kubernetes cannot tell that a name is not root.
USER 1000:1000
VOLUME /data /tmp
EXPOSE 8080 8081 8082 9464
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="Touchline" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
ENTRYPOINT ["node", "/app/bin/touchline.js"]
CMD ["--help"]
