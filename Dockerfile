# One image for every service: `docker run --read-only touchline <service>`. Settings come from the environment.
# What is written goes to volumes: views and the embedded broker's data to /data, idle matches to files in /tmp.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Without install scripts: they would only bring a second Node beside that of the image.
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
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
RUN mkdir /data && chown node:node /data
# By number: Kubernetes cannot tell that a name is not root.
USER 1000:1000
VOLUME /data /tmp
EXPOSE 8080 8081 8082 9464
ENTRYPOINT ["node", "/app/bin/touchline.js"]
CMD ["--help"]
